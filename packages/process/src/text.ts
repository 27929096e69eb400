// Control characters, line separators, bidi overrides and isolates.
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
// JSON.stringify escapes \u0000–\u001f itself.
const unprintableInJson = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
const shortEscapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const hex = (character: string, digits: number) => character.charCodeAt(0).toString(16).padStart(digits, '0');
const unicode = (character: string) => `\\u${hex(character, 4)}`;
const escape = (character: string) =>
  shortEscapes[character] ?? (character < '\u0100' ? `\\x${hex(character, 2)}` : unicode(character));

/**
 * Escapes untrusted text so that a terminal shows it as one line. Control characters, line separators, bidi overrides
 * and isolates become `\n`, `\x1b`, `\u202e` and so on. All other characters stay.
 */
export const printable = (text: string): string => text.replace(unprintable, escape);

/** JSON text on one line with the same characters escaped. */
export const printableJsonText = (json: string): string => json.replace(unprintableInJson, unicode);

/**
 * Formats a value as one line of JSON, with the same characters escaped. A value that JSON does not have, such as
 * undefined, becomes null.
 */
export const printableJson = (value: unknown): string => printableJsonText(JSON.stringify([value]).slice(1, -1));

/** Decodes percent-encoded UTF-8. Returns undefined if the text is malformed. */
export function percentDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

// The offset may start with a space: that is how a query decodes a plus sign that was not percent-encoded. Python's
// `%z` writes it without a colon.
const timestampForm = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+ -]\d\d:?\d\d)?)?$/;

/**
 * Parses a date, or a time such as 2026-01-31T12:00:00Z. A time without an offset is UTC. Returns null for other text.
 */
export function parseTimestamp(text: string): Date | null {
  const match = timestampForm.exec(text);
  if (!match) return null;
  const hasNoOffset = text.includes('T') && match[1] === undefined;
  const withColon = text.replace(' ', '+').replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
  const date = new Date(hasNoOffset ? `${text}Z` : withColon);
  if (Number.isNaN(date.getTime())) return null;
  // JavaScript reads 30 February as a day in March.
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return day.toISOString().startsWith(text.slice(0, 10)) ? date : null;
}
