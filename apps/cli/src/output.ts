import { printable, printableJson } from '@ringback/runtime';

// Everything that the command line writes goes through here, so that nothing from outside reaches the terminal as it came.

type Row = Record<string, unknown>;

/** Prints one JSON document with `--json`; otherwise a table of the rows, or `name: value` lines of a single object. */
export function print(result: Row | Row[], { json }: { json?: boolean | undefined } = {}): void {
  const rows = json ? [printableJson(result)] : Array.isArray(result) ? table(result) : lines(result);
  process.stdout.write(rows.map((row) => `${printable(row)}\n`).join(''));
}

/** Prints one line. */
export function printLine(line: string): void {
  process.stdout.write(`${printable(line)}\n`);
}

/** Says something on stderr, in one line. */
export function say(line: string): void {
  process.stderr.write(`${printable(line)}\n`);
}

const lines = (row: Row) => Object.entries(row).map(([name, value]) => `${name}: ${cell(value)}`);

function table(rows: Row[]): string[] {
  const [first] = rows;
  if (!first) return ['(none)'];
  const names = Object.keys(first);
  const cells = [names, ...rows.map((row) => names.map((name) => cell(row[name])))];
  const widths = names.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Escaped before the width of its column is measured. */
const cell = (value: unknown) => printable(textOf(value));

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}
