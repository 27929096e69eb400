import type { Database } from './open.js';

/** How many hits a token has in its window, this one included, and when the window ends. */
export type TokenHits = { hits: number; endsInMs: number };

type Waiting = { tokenId: string; resolve: (hits: TokenHits) => void; reject: (error: unknown) => void };
type Row = TokenHits & { id: string };

// By id, so that two processes never wait for each other in a circle.
const count = `INSERT INTO rate_limits AS r (token_id, hits, ends_at)
    SELECT id, hits, now() + $3::float8 * interval '1 millisecond' FROM unnest($1::uuid[], $2::int[]) AS t(id, hits) ORDER BY id
  ON CONFLICT (token_id) DO UPDATE SET
    hits = CASE WHEN r.ends_at <= now() THEN excluded.hits ELSE r.hits + excluded.hits END,
    ends_at = CASE WHEN r.ends_at <= now() THEN excluded.ends_at ELSE r.ends_at END
  RETURNING token_id AS id, hits, GREATEST(0, CEIL(EXTRACT(EPOCH FROM ends_at - clock_timestamp()) * 1000))::int AS "endsInMs"`;

/**
 * Counts hits of tokens in windows that begin with a token's first hit, for all processes of the database together. One
 * statement is under way at a time; what comes meanwhile goes with the next one.
 */
export function openHitCounter(db: Database, windowMs: number): (tokenId: string) => Promise<TokenHits> {
  let waiting: Waiting[] = [];
  let isUnderWay = false;
  const next = async (): Promise<void> => {
    if (isUnderWay || waiting.length === 0) return;
    const batch = waiting;
    waiting = [];
    isUnderWay = true;
    await countBatch(db, windowMs, batch).catch((error: unknown) => batch.forEach(({ reject }) => reject(error)));
    isUnderWay = false;
    void next();
  };
  return (tokenId) =>
    new Promise((resolve, reject) => {
      waiting.push({ tokenId, resolve, reject });
      void next();
    });
}

async function countBatch(db: Database, windowMs: number, batch: Waiting[]): Promise<void> {
  const byToken = new Map<string, Waiting[]>();
  for (const one of batch) {
    const group = byToken.get(one.tokenId);
    if (group) group.push(one);
    else byToken.set(one.tokenId, [one]);
  }
  const counts = [...byToken.values()].map((group) => group.length);
  const { rows } = await db.pool.query<Row>(count, [[...byToken.keys()], counts, windowMs]);
  for (const { id, hits, endsInMs } of rows) {
    const group = byToken.get(id) ?? [];
    group.forEach(({ resolve }, index) => resolve({ hits: hits - group.length + index + 1, endsInMs }));
  }
}
