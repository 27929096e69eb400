import { channel } from 'node:diagnostics_channel';
import type pg from 'pg';
import type { Column, Columns, RowOf } from './columns.js';

type StatementParameters = Record<string, unknown>;
type Client = Pick<pg.Pool | pg.ClientBase, 'query'>;

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
