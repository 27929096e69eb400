import { channel } from 'node:diagnostics_channel';
import type pg from 'pg';
import type { Column, Columns, RowOf } from './columns.js';

/** The columns of a list of records: for each name the SQL type, and a function that reads the value from an item. */
export type RecordColumns<Item> = Record<string, readonly [sqlType: string, read: (item: Item) => unknown]>;

/** The names of columns, for `INSERT INTO t (…)` and `SELECT …`. */
export const namesOf = (columns: RecordColumns<never>): string => Object.keys(columns).join(', ');

// PostgreSQL expects json_to_recordset to return 100 rows. In a new database, whose tables are empty, it would join
// them by reading whole indexes. With a limit that it cannot estimate, it expects 10 rows, as for an array.
const noLimitSql = 'LIMIT (SELECT NULL::bigint)';

/**
 * Passes a list of records to a statement as one JSON parameter. For a batch of 100 events this takes less than half
 * the CPU time of one array for each column, because pg escapes arrays element by element.
 */
export function defineRecords<Item>(columns: RecordColumns<Item>) {
  const entries = Object.entries(columns);
  const definitions = entries.map(([name, [sqlType]]) => `${name} ${sqlType}`).join(', ');
  return {
    /** An item of a `FROM` clause: the rows in a parameter that `encode` returned. A JSON null becomes an SQL NULL. */
    from: (parameter: `$${string}`, alias = 't') =>
      `(SELECT * FROM json_to_recordset(${parameter}::json) AS r(${definitions}) ${noLimitSql}) AS ${alias}`,
    encode: (items: readonly Item[]): string => toJson(items.map((item) => toRecord(entries, item))),
  };
}

function toRecord<Item>(entries: [string, RecordColumns<Item>[string]][], item: Item): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const [name, [, read]] of entries) record[name] = read(item);
  return record;
}

// `JSON.stringify` writes a lone surrogate as an escape. An even number of backslashes before the escape are escaped
// backslashes, and not part of it.
const loneSurrogates = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/**
 * JSON without lone surrogates, which PostgreSQL refuses. They become U+FFFD, as pg writes them in a text parameter.
 */
function toJson(value: unknown): string {
  const json = JSON.stringify(value);
  return json.includes('\\ud') ? json.replace(loneSurrogates, '$1\\ufffd') : json;
}

type StatementParameters = Record<string, unknown>;
/** What statements run on: a pool, or a client that is in a transaction. */
export type Client = Pick<pg.Pool | pg.ClientBase, 'query'>;

/** Text as a part of a LIKE pattern that matches only the text itself. */
export const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&');

/** Where each new statement is announced. Only `statement.test.ts` listens. */
export const statementsChannel = channel('ringback.statements');

/**
 * A statement whose text names its parameters, as in `WHERE id = $id`. Define it once, at the top of a file, and name
 * its columns with `returns`: the type of its rows follows from them, and a test compares them with a real server.
 */
export class Statement<Values extends StatementParameters, Row> {
  columns: Record<string, Column<unknown>> = {};
  readonly text: string;
  readonly #parameters: string[] = [];

  constructor(
    namedText: string,
    readonly name?: string,
  ) {
    this.text = namedText.replace(/\$([a-z]\w*)/gi, (_, parameter: string) => {
      if (!this.#parameters.includes(parameter)) this.#parameters.push(parameter);
      return `$${this.#parameters.indexOf(parameter) + 1}`;
    });
    statementsChannel.publish(this);
  }

  returns<C extends Columns>(columns: C): Statement<Values, RowOf<C>> {
    this.columns = columns;
    return this as unknown as Statement<Values, RowOf<C>>;
  }

  async rows(client: Client, values: Values): Promise<Row[]> {
    const { rows } = await client.query<Row & pg.QueryResultRow>(this.query(values));
    return rows;
  }

  async row(client: Client, values: Values): Promise<Row | undefined> {
    const [row] = await this.rows(client, values);
    return row;
  }

  async run(client: Client, values: Values): Promise<number> {
    const { rowCount } = await client.query(this.query(values));
    return rowCount ?? 0;
  }

  private query(values: Values) {
    const { name, text } = this;
    const list = this.#parameters.map((parameter) => {
      if (!(parameter in values)) throw new Error(`the parameter $${parameter} of a statement has no value`);
      return values[parameter];
    });
    return name === undefined ? { text, values: list } : { name, text, values: list };
  }
}

type NoValues = Record<never, never>;

/** Defines a statement that PostgreSQL parses and plans at each execution. */
export const statement = <Values extends StatementParameters = NoValues>(text: string) =>
  new Statement<Values, never>(text);

/** Defines a statement that runs often: each connection parses the text once, and may reuse the plan. */
export const preparedStatement = <Values extends StatementParameters = NoValues>(name: string, text: string) =>
  new Statement<Values, never>(text, `ringback_${name}`);

/** The `LIMIT` of a statement for `deleteInBatches`. Short statements lock few rows at a time. */
export const maxDeletedAtOnce = 10_000;

/**
 * Runs a statement that deletes at most `maxDeletedAtOnce` rows, again and again until it has deleted all. Returns the
 * number of deleted rows.
 */
export async function deleteInBatches<Values extends Record<string, unknown>>(
  db: { pool: Client },
  statement: Statement<Values, never>,
  values: Values,
): Promise<number> {
  let deleted = 0;
  for (;;) {
    const count = await statement.run(db.pool, values);
    deleted += count;
    if (count < maxDeletedAtOnce) return deleted;
  }
}
