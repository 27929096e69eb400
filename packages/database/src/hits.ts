import { batched } from './batch.js';
import type { Database } from './open.js';

/** How many hits a token has in its window, this one included, and when the window ends. */
export type TokenHits = { hits: number; endsInMs: number };

type Row = TokenHits & { id: string };

// By id, so that two processes never wait for each other in a circle.
const count = `INSERT INTO rate_limits AS r (token_id, hits, ends_at)
    SELECT id, hits, now() + $3::float8 * interval '1 millisecond' FROM unnest($1::uuid[], $2::int[]) AS t(id, hits) ORDER BY id
  ON CONFLICT (token_id) DO UPDATE SET
    hits = CASE WHEN r.ends_at <= now() THEN excluded.hits ELSE r.hits + excluded.hits END,
    ends_at = CASE WHEN r.ends_at <= now() THEN excluded.ends_at ELSE r.ends_at END
  RETURNING token_id AS id, hits, GREATEST(0, CEIL(EXTRACT(EPOCH FROM ends_at - clock_timestamp()) * 1000))::int AS "endsInMs"`;

const mostAtOnce = 1_000;

/**
 * Counts hits of tokens in windows that begin with a token's first hit, for all processes of the database together. One
 * statement is under way at a time; what comes meanwhile goes with the next one.
 */
export function openHitCounter(db: Database, windowMs: number): (tokenId: string) => Promise<TokenHits> {
  return batched((tokenIds: string[]) => countBatch(db, windowMs, tokenIds), { most: mostAtOnce, atOnce: 1 });
}

async function countBatch(db: Database, windowMs: number, tokenIds: string[]): Promise<TokenHits[]> {
  const counts = new Map<string, number>();
  for (const id of tokenIds) counts.set(id, (counts.get(id) ?? 0) + 1);
  const { rows } = await db.pool.query<Row>(count, [[...counts.keys()], [...counts.values()], windowMs]);
  const after = new Map(rows.map((row) => [row.id, { ...row, hits: row.hits - (counts.get(row.id) ?? 0) }]));
  return tokenIds.map((id) => {
    const token = after.get(id);
    if (!token) throw new Error('a count left out a token');
    return { hits: ++token.hits, endsInMs: token.endsInMs };
  });
}
