/** One line of a result: what was measured, and the figures by name. */
export type Row = Record<string, string | number>;

/** `events` in a burst of it, and how large it was, once that is known. */
export type Result = { scenario: string; title: string; rows: Row[]; notes?: string[]; events?: number; size?: number };

/** A number with as many digits as it deserves. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return '-';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

/** Figures that say that something went wrong unless they are 0 or absent. */
const mustBeZero = ['missing', 'repeated', 'flood missing', 'flood repeated', 'foreign', 'unexpected calls', 'errors'];

/** What is wrong in a result: what was pushed is not what arrived, exactly once, or a call was not answered well. */
export function faultsIn({ scenario, rows }: Result): string[] {
  return rows.flatMap((row, index) =>
    mustBeZero
      .filter((name) => name in row && row[name] !== 0)
      .map((name) => `${scenario}, row ${index + 1}: ${name} ${row[name]}`),
  );
}

/** A result as a table for people. */
export function formatResult({ title, rows, notes = [] }: Result): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = [names, ...rows.map((row) => names.map((name) => cell(row[name])))];
  const widths = names.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) => row.map((text, column) => pad(text, widths[column] ?? 0, column === 0)).join('  '));
  return [title, ...lines.map((line) => `  ${line}`), ...notes.map((note) => `  ${note}`), ''].join('\n');
}

const pad = (text: string, width: number, isFirst: boolean) => (isFirst ? text.padEnd(width) : text.padStart(width));
const cell = (value: string | number | undefined) => (typeof value === 'number' ? short(value) : (value ?? ''));
