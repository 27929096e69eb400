type Row = Record<string, unknown>;

/** Prints one JSON document with `--json`; otherwise a table of the rows, or `name: value` lines of a single object. */
export function print(result: Row | Row[], { json }: { json?: boolean | undefined } = {}): void {
  process.stdout.write(`${json ? JSON.stringify(result) : Array.isArray(result) ? table(result) : lines(result)}\n`);
}

const lines = (row: Row) =>
  Object.entries(row)
    .map(([name, value]) => `${name}: ${cell(value)}`)
    .join('\n');

function table(rows: Row[]): string {
  const [first] = rows;
  if (!first) return '(none)';
  const names = Object.keys(first);
  const cells = [names, ...rows.map((row) => names.map((name) => cell(row[name])))];
  const widths = names.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}
