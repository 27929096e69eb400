import type { Actor, ChangeAction, ChangedField } from './changes.js';
import { cutPage, type LogPlaces, type PlaceInLog } from './log-page.js';
import type { Database } from './open.js';
import { idAt } from './uuid.js';

/** Something that was done: who, when, what. */
export type Change = {
  id: string;
  /** Null for what belongs to no account. */
  accountId: string | null;
  at: Date;
  actor: Actor;
  action: ChangeAction;
  objectType: string;
  objectId: string;
  changed: ChangedField[];
};

/** What changes are looked for; what is absent does not matter. */
export type ChangeFilter = {
  objectId?: string | undefined;
  action?: ChangeAction | undefined;
  /** Made at this time or later. */
  since?: Date | undefined;
  /** Made before this time. */
  until?: Date | undefined;
};

const columns = `id, account_id AS "accountId", at, actor, action, object_type AS "objectType",
  object_id AS "objectId", changed`;

type ChangeRequest = { filter: ChangeFilter } & PlaceInLog;

/** One page of the account's changes, newest first. An index finds them by each of the filters. */
export async function listChanges(
  db: Database,
  accountId: string,
  { filter, cursor, perPage }: ChangeRequest,
): Promise<{ changes: Change[] } & LogPlaces> {
  const { objectId, action, since, until } = filter;
  const isOlder = cursor?.older ?? true;
  const wanted: [string, unknown][] = [
    ['account_id =', accountId],
    ['object_id =', objectId],
    ['action =', action],
    ['id >=', since && idAt(since)],
    ['id <', until && idAt(until)],
    [isOlder ? 'id <' : 'id >', cursor?.id],
  ];
  const given = wanted.filter(([, value]) => value !== undefined);
  const conditions = given.map(([condition], index) => `${condition} $${index + 1}`).join(' AND ');
  const { rows } = await db.pool.query<Change>(
    `SELECT ${columns} FROM changes WHERE ${conditions} ORDER BY id ${isOlder ? 'DESC' : 'ASC'} LIMIT ${perPage + 1}`,
    given.map(([, value]) => value),
  );
  const { rows: changes, ...places } = cutPage(rows, { cursor, perPage });
  return { changes, ...places };
}

/** The newest changes of an account, or of all and of what belongs to none; for operators. */
export async function listNewestChanges(
  db: Database,
  { accountId = null, limit }: { accountId?: string | null; limit: number },
): Promise<Change[]> {
  const { rows } = await db.pool.query<Change>(
    `SELECT ${columns} FROM changes ${accountId === null ? '' : 'WHERE account_id = $2'} ORDER BY id DESC LIMIT $1`,
    accountId === null ? [limit] : [limit, accountId],
  );
  return rows;
}

const dayMs = 86_400_000;
const mostAtOnce = 10_000;

/** Deletes changes that are older than so many days, in portions; 0 keeps everything. Answers with how many they were. */
export async function dropChanges(
  db: Database,
  { keptDays, now = Date.now() }: { keptDays: number; now?: number },
): Promise<number> {
  if (keptDays === 0) return 0;
  const before = idAt(new Date(now - keptDays * dayMs));
  const some = `DELETE FROM changes WHERE id IN (SELECT id FROM changes WHERE id < $1 ORDER BY id LIMIT ${mostAtOnce})`;
  let dropped = 0;
  for (;;) {
    const { rowCount } = await db.pool.query(some, [before]);
    dropped += rowCount ?? 0;
    if ((rowCount ?? 0) < mostAtOnce) return dropped;
  }
}
