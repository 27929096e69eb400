// Control characters, line separators and characters that change the direction of text.
const controls = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
// JSON.stringify escapes the other control characters itself.
const unescapedByJson = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
const shortEscapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const hex = (character: string, digits: number) => character.charCodeAt(0).toString(16).padStart(digits, '0');
const unicode = (character: string) => `\\u${hex(character, 4)}`;
const escape = (character: string) =>
  shortEscapes[character] ?? (character < '\u0100' ? `\\x${hex(character, 2)}` : unicode(character));

/**
 * Escapes untrusted text so that a terminal shows it as one line. Control characters and characters that change the
 * direction of text become `\n`, `\x1b`, `\u202e` and so on. All other characters stay.
 */
export const printable = (text: string): string => text.replace(controls, escape);

/** Formats a value as one line of JSON, with the same characters escaped as `\u…`. */
export const printableJson = (value: unknown): string => JSON.stringify(value).replace(unescapedByJson, unicode);
