import type pg from 'pg';

/** The rows of each table, each value as its text in PostgreSQL. */
export type Rows = Record<string, Record<string, string | null>[]>;

const columns = `SELECT c.relname AS "table", array_agg(a.attname::text ORDER BY a.attnum) AS columns
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND c.relpersistence = 'p' AND c.relname <> ALL('{_prisma_migrations,list_counts,audit_marks}')
  GROUP BY 1`;

/**
 * Reads every row of every table that holds what users stored. With `like` it reads only the tables of these rows,
 * and of each table only the columns of its first row there.
 */
export async function readRows(client: pg.Client, like?: Rows): Promise<Rows> {
  const result = await client.query<{ table: string; columns: string[] }>(columns);
  const all: Rows = {};
  for (const { table, columns: present } of result.rows) {
    if (like && !(table in like)) continue;
    const first = like?.[table]?.[0];
    const names = first ? Object.keys(first) : present;
    const { rows } = await client.query<Record<string, string | null>>(
      `SELECT ${names.map((name) => `"${name}"::text`).join(', ')} FROM "${table}"`,
    );
    all[table] = rows;
  }
  return all;
}
