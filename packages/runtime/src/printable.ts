// What moves the cursor, rings, names the window, ends a line, or turns the order of the text around it.
const controls = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
// JSON.stringify has escaped the others.
const leftByJson = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
const short: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const hex = (character: string, digits: number) => character.charCodeAt(0).toString(16).padStart(digits, '0');
const unicode = (character: string) => `\\u${hex(character, 4)}`;
const escape = (character: string) =>
  short[character] ?? (character < '\u0100' ? `\\x${hex(character, 2)}` : unicode(character));

/**
 * Text from outside as one line that a terminal shows and does not obey: control characters and those that turn the
 * direction of writing are escaped, such as `\n`, `\x1b` and `\u202e`. Everything else stays.
 */
export const printable = (text: string): string => text.replace(controls, escape);

/** A value as one line of JSON, in which the same characters are escaped as JSON does. */
export const printableJson = (value: unknown): string => JSON.stringify(value).replace(leftByJson, unicode);
