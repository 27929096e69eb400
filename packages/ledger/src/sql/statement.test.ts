import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { failuresOf } from '@ringback/rules/fixture';
import { createTestDatabase, type TestDatabase } from '@ringback/testing';
import type { Column } from './columns.js';
import { defineRecords, namesOf, type Statement, statementsChannel } from './statement.js';

const statements: Statement<never, unknown>[] = [];
statementsChannel.subscribe((statement) => void statements.push(statement as Statement<never, unknown>));
await import('../index.js');

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client(database.url);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** A query of pg's that asks for the columns of a statement without executing it. */
class Description implements pg.Submittable {
  fields: pg.FieldDef[] = [];
  callback: (error: Error | null, fields?: pg.FieldDef[]) => void = () => {};

  constructor(readonly text: string) {}

  submit(connection: pg.Connection): void {
    connection.parse({ name: '', text: this.text, types: [] }, false);
    connection.describe({ type: 'S', name: '' }, false);
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    this.fields = fields;
  }

  handleReadyForQuery(): void {
    this.callback(null, this.fields);
  }

  handleError(error: Error): void {
    this.callback(error);
  }
}

const describe = (text: string) =>
  new Promise<pg.FieldDef[]>((resolve, reject) => {
    const description = new Description(text);
    description.callback = (error, fields = []) => (error ? reject(error) : resolve(fields));
    client.query(description);
  });

type Source = { type: string; labels: string[] | null; allowsNull: boolean };

/** What PostgreSQL knows of a result's column. It knows of nulls only if the column is one of a table. */
async function findSource({ dataTypeID, tableID, columnID }: pg.FieldDef): Promise<Source> {
  const { rows } = await client.query<Source>(
    `SELECT format_type($1, NULL) AS type, (SELECT array_agg(enumlabel::text ORDER BY enumsortorder) FROM pg_enum
        WHERE enumtypid = $1) AS labels,
      EXISTS (SELECT FROM pg_attribute WHERE attrelid = $2 AND attnum = $3 AND NOT attnotnull) AS "allowsNull"`,
    [dataTypeID, tableID, columnID],
  );
  return rows[0]!;
}

const describeColumn = (
  name: string,
  { type, labels = [] }: Pick<Column<unknown>, 'type' | 'labels'>,
  nulls: boolean,
) => [name, type, ...labels, ...(nulls ? ['or null'] : [])].join(' ');

const describedColumns = ({ columns }: Statement<never, unknown>) =>
  Object.entries(columns).map(([name, column]) => describeColumn(name, column, column.nulls === 'possible'));

async function actualColumns({ text, columns }: Statement<never, unknown>): Promise<string[]> {
  const actual: string[] = [];
  for (const field of await describe(text)) {
    const { type, labels, allowsNull } = await findSource(field);
    // An outer join makes nulls of a column that allows none, and a condition may leave out the rows with nulls.
    const nulls = columns[field.name]?.nulls;
    const mayBeNull = nulls === 'possible' || (allowsNull && nulls !== 'left out');
    actual.push(describeColumn(field.name, { type, labels: labels ?? [] }, mayBeNull));
  }
  return actual;
}

test('each statement returns the columns that its row type names', async () => {
  expect(statements.length).toBeGreaterThan(0);
  const named = statements.map((statement) => [statement.text, statement] as const);
  const failures = await failuresOf(named, async ([, statement]) => {
    expect((await actualColumns(statement)).sort()).toEqual(describedColumns(statement).sort());
  });
  expect(failures).toEqual([]);
});

type Item = { id: string; headers: Record<string, string> };

const itemColumns = {
  id: ['text', ({ id }: Item) => id],
  headers: ['json', ({ headers }: Item) => headers],
} as const;
const itemRecords = defineRecords<Item>(itemColumns);

test('one definition of columns names them in the records and in an INSERT', () => {
  expect(itemRecords.from('$items')).toContain('json_to_recordset($items::json) AS r(id text, headers json)');
  expect(namesOf(itemColumns)).toBe('id, headers');
});

test.each([
  ['a lone surrogate becomes U+FFFD', 'a\ud83d', 'a\ufffd'],
  ['a lone surrogate after backslashes becomes U+FFFD', '\\\\\ud83d\ud83d', '\\\\\ufffd\ufffd'],
  ['a whole pair stays', '\u{1f600}', '\u{1f600}'],
  ['the text of an escape stays', '\\ud83d', '\\ud83d'],
  ['the text of an escape after a backslash stays', '\\\\ud83d', '\\\\ud83d'],
])('%s, at any depth', (_name, text, expected) => {
  const encoded = itemRecords.encode([{ id: text, headers: { name: text } }]);
  expect(JSON.parse(encoded)).toEqual([{ id: expected, headers: { name: expected } }]);
});
