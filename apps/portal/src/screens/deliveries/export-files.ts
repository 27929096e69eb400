import type { Delivery } from '../../api/schemas.js';

export const formats = ['csv', 'json'] as const;
export type Format = (typeof formats)[number];

const columns = [
  'id',
  'created_at',
  'state',
  'event',
  'message_id',
  'mobile',
  'webhook_id',
  'event_id',
  'attempt_count',
  'response_code',
  'error',
  'reason',
  'due_at',
  'updated_at',
] as const satisfies (keyof Delivery)[];

const mimeTypes: Record<Format, string> = { csv: 'text/csv;charset=utf-8', json: 'application/json' };

/** Creates a CSV or JSON file of deliveries. */
export function exportFile(rows: readonly Delivery[], format: Format): Blob {
  const text = format === 'csv' ? toCsv(rows) : `${JSON.stringify(rows, null, 1)}\n`;
  return new Blob([text], { type: mimeTypes[format] });
}

function toCsv(rows: readonly Delivery[]): string {
  const lines = rows.map((row) => columns.map((name) => toCell(row[name])).join(','));
  return [columns.join(','), ...lines].map((line) => `${line}\r\n`).join('');
}

// Spreadsheets evaluate such cells as formulas.
const formula = /^[\s]*[=+\-@]|^[\t\r\n]/;

/** A CSV cell. An apostrophe precedes a text that a spreadsheet would evaluate as a formula. */
export function toCell(value: string | number | null): string {
  const text = value === null ? '' : String(value);
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Makes the browser download a file. */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser needs the URL until the download has started.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
