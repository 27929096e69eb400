/**
 * A column of a statement's result: its type in PostgreSQL, and with it the type that its values have here. Statements
 * name their columns with these (`returns`), and `statement.test.ts` asks a server whether they are right.
 */
export class Column<Value> {
  declare readonly value: Value;

  constructor(
    /** The name of the type, as `format_type` writes it. */
    readonly type: string,
    readonly nulls: 'never' | 'left out' | 'possible' = 'never',
    readonly labels?: readonly string[],
  ) {}

  /** The same column, which may be null. */
  get orNull(): Column<Value | null> {
    return new Column(this.type, 'possible', this.labels);
  }

  /** The same column, of a table that allows nulls in it, in a statement that leaves these rows out. */
  get withoutNulls(): Column<Value> {
    return new Column(this.type, 'left out', this.labels);
  }

  /** The same column with a narrower type, because the code stores nothing else in it. PostgreSQL cannot tell. */
  as<Narrower extends Value>(): Column<Narrower> {
    return this as unknown as Column<Narrower>;
  }
}

export type Columns = Record<string, Column<unknown>>;

/** The rows of a statement with these columns. */
export type RowOf<C extends Columns> = { [Name in keyof C]: C[Name]['value'] };

type Selection = Record<string, readonly [sql: string, column: Column<unknown>]>;

/** What a statement selects, each column with its SQL: `sql` follows SELECT, and `columns` is what `returns` needs. */
export function select<const S extends Selection>(selection: S) {
  const entries = Object.entries(selection);
  return {
    sql: entries.map(([name, [sql]]) => `${sql} AS "${name}"`).join(', '),
    columns: Object.fromEntries(entries.map(([name, [, column]]) => [name, column])) as unknown as {
      [Name in keyof S]: S[Name][1];
    },
  };
}

export const boolean = new Column<boolean>('boolean');
export const integer = new Column<number>('integer');
export const float = new Column<number>('double precision');
export const text = new Column<string>('text');
export const timestamp = new Column<Date>('timestamp with time zone');
export const uuid = new Column<string>('uuid');

/** A JSON value, which pg parses. Its type is up to the statement that builds it or the code that stores it. */
export const json = <Value>() => new Column<Value>('json');

export const arrayOf = <Value>({ type }: Column<Value>) => new Column<Value[]>(`${type}[]`);

/** An enum of PostgreSQL, with Prisma's object of its labels. */
export const enumOf = <Label extends string>(type: string, labels: Record<string, Label>) =>
  new Column<Label>(type, 'never', Object.values(labels));

/** The columns of a row that an outer join may not find. */
export const allOrNull = <C extends Columns>(columns: C) =>
  Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column.orNull])) as unknown as {
    [Name in keyof C]: Column<C[Name]['value'] | null>;
  };
