import type { Database } from '../connection/database.js';
import { text, timestamp, uuid } from '../sql/columns.js';
import { type AdjacentCursors, cutPage, type CursorPageRequest } from '../sql/pages.js';
import { escapeLike, statement } from '../sql/statement.js';
import { type Account, type AccountStatus, parseTheme } from './accounts.js';

/** Selects accounts. An absent field matches all. */
export type AccountFilter = {
  /** An account matches if its name contains one of these, whatever the case. */
  names?: string[] | undefined;
  externalId?: string | undefined;
  status?: AccountStatus | undefined;
};

type ListParameters = {
  namePatterns: string[] | null;
  externalId: string | null;
  status: string | null;
  cursorId: string | null;
  limit: number;
};

// The row of a deleted account stays, so a cursor outlives the account that it names.
const listStatement = (comparison: '<' | '>', direction: 'DESC' | 'ASC') =>
  statement<ListParameters>(`SELECT id, name, external_id AS "externalId", created_at AS "createdAt",
      updated_at AS "updatedAt", suspended_at AS "suspendedAt", other_installation AS "otherInstallation", theme
    FROM accounts
    WHERE deleted_at IS NULL AND ($namePatterns::text[] IS NULL OR name ILIKE ANY ($namePatterns))
      AND ($externalId::text IS NULL OR external_id = $externalId)
      AND ($status::text IS NULL OR (suspended_at IS NOT NULL) = ($status = 'suspended'))
      AND ($cursorId::uuid IS NULL OR (created_at, id) ${comparison}
        ((SELECT created_at FROM accounts WHERE id = $cursorId), $cursorId::uuid))
    ORDER BY created_at ${direction}, id ${direction} LIMIT $limit`).returns({
    id: uuid,
    name: text,
    externalId: text.orNull,
    createdAt: timestamp,
    updatedAt: timestamp,
    suspendedAt: timestamp.orNull,
    otherInstallation: text.orNull,
    theme: text.orNull,
  });
const olderStatement = listStatement('<', 'DESC');
const newerStatement = listStatement('>', 'ASC');

/** One page of the accounts, newest first. */
export async function listAccounts(
  db: Database,
  { names, externalId, status, cursor, perPage }: AccountFilter & CursorPageRequest,
): Promise<{ accounts: Account[] } & AdjacentCursors> {
  const rows = await ((cursor?.towardsOlder ?? true) ? olderStatement : newerStatement).rows(db.pool, {
    namePatterns: names?.map((name) => `%${escapeLike(name)}%`) ?? null,
    externalId: externalId ?? null,
    status: status ?? null,
    cursorId: cursor?.id ?? null,
    limit: perPage + 1,
  });
  const { rows: page, ...cursors } = cutPage(rows, { cursor, perPage });
  return { accounts: page.map((row) => ({ ...row, theme: parseTheme(row.theme) })), ...cursors };
}

const byExternalIdStatement = statement<{ externalIds: string[] }>(
  `SELECT external_id AS "externalId", id FROM accounts WHERE external_id = ANY($externalIds::text[]) AND deleted_at IS NULL`,
).returns({ externalId: text.withoutNulls, id: uuid });

/** The ids of the accounts with these external ids, in their order; null for one that no account has. */
export async function findAccountIds(db: Database, externalIds: string[]): Promise<(string | null)[]> {
  const rows = await byExternalIdStatement.rows(db.pool, { externalIds });
  const ids = new Map(rows.map(({ externalId, id }) => [externalId, id]));
  return externalIds.map((externalId) => ids.get(externalId) ?? null);
}
