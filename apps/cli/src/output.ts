import { once } from 'node:events';
import { stringifyExactJson } from '@ringback/rules';
import { printable, printableJson, printableJsonText } from '@ringback/process';

// All results and notices go through this file, which escapes control characters in untrusted text. Logs, the progress
// of a replay and the completion script do not.

type Row = Record<string, unknown>;

/**
 * Prints a result: with `json` as one JSON document, otherwise an array as a table and an object as `name: value`
 * lines.
 */
export function print(result: Row | Row[], { json }: { json?: boolean | undefined } = {}): void {
  const rows = json ? [printableJson(result)] : Array.isArray(result) ? table(result) : lines(result);
  process.stdout.write(rows.map((row) => `${printable(row)}\n`).join(''));
}

/** Prints one line on stdout. */
export function printLine(line: string): void {
  process.stdout.write(`${printable(line)}\n`);
}

/** Prints one line of NDJSON, whose numbers keep their digits. Resolves when there is room for the next line. */
export async function printJsonLine(value: Row): Promise<void> {
  const line = printableJsonText(stringifyExactJson(value));
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}

/** Prints one line on stderr, where it does not mix with results. */
export function printNotice(line: string): void {
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

// Escaping changes the length of a text, so it comes before the column widths are measured.
const cell = (value: unknown) => printable(formatValue(value));

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}
