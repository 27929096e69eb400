type Mark = 'statistics_began' | 'statistics_dropped' | 'ledger_dropped';

/** A statement that sets a mark to a time, given as an SQL expression. */
export const setMarkSql = (name: Mark, at: string) => `INSERT INTO audit_marks (name, at) VALUES ('${name}', ${at})
  ON CONFLICT (name) DO UPDATE SET at = excluded.at`;

/** An SQL expression for the time of a mark; `-infinity` if it was never set. */
export const markTimeSql = (name: Mark) =>
  `COALESCE((SELECT at FROM audit_marks WHERE name = '${name}'), '-infinity'::timestamptz)`;
