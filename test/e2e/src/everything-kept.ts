import { openDatabase } from '@ringback/database';

const tables = `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
  WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`;

/** Every row of every table of the database, the queue's own included, as text. */
export async function readAllRows(url: string): Promise<string> {
  const db = openDatabase({ url, connections: 1 });
  try {
    const texts: string[] = [];
    for (const { name } of (await db.pool.query<{ name: string }>(tables)).rows) {
      const { rows } = await db.pool.query<{ text: string }>(`SELECT row_to_json(t)::text AS text FROM ${name} t`);
      texts.push(...rows.map(({ text }) => `${name} ${text}`));
    }
    return texts.join('\n');
  } finally {
    await db.close();
  }
}
