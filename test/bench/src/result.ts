/** A row of a result: labels and figures by name. */
export type Row = Record<string, string | number>;

/** `events`: the number of events in a burst. `size`: the number of rows or waiting deliveries. */
export type Result = { scenario: string; title: string; rows: Row[]; notes?: string[]; events?: number; size?: number };

/** Formats a number with two decimals, with one from 10 on, and with none from 100 on. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '-';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

/** Figures that must be 0 or absent. */
const mustBeZero = [
  'missing',
  'repeated',
  'flood missing',
  'flood repeated',
  'unexpected',
  'unexpected calls',
  'errors',
];

/** Lists the figures of a result that must be 0 and are not: events that did not arrive exactly once, failed calls. */
export function findFaults({ scenario, rows }: Result): string[] {
  return rows.flatMap((row, index) =>
    mustBeZero
      .filter((name) => name in row && row[name] !== 0)
      .map((name) => `${scenario}, row ${index + 1}: ${name} ${row[name]}`),
  );
}

/** Formats a result as a table. */
export function formatResult({ title, rows, notes = [] }: Result): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = [names, ...rows.map((row) => names.map((name) => cell(row[name])))];
  const widths = names.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) => row.map((text, column) => pad(text, widths[column] ?? 0, column === 0)).join('  '));
  return [title, ...lines.map((line) => `  ${line}`), ...notes.map((note) => `  ${note}`), ''].join('\n');
}

const pad = (text: string, width: number, isFirst: boolean) => (isFirst ? text.padEnd(width) : text.padStart(width));
const cell = (value: string | number | undefined) => (typeof value === 'number' ? formatNumber(value) : (value ?? ''));
