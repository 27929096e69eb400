// Control characters except tab and line feed, characters that change the direction of text, invisible characters, line
// separators, lone surrogates, and tag characters. Joiners are not among them: emoji and some scripts need them.
const unprintable =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

const escapeCharacter = (character: string) => {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
};

type Part = { text: string; isEscape: boolean };

/**
 * Splits a text of unknown origin into printable parts and escapes, such as `\u202e`, for characters that are not
 * printable.
 */
export function printableParts(text: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(unprintable)) {
    if (match.index > end) parts.push({ text: text.slice(end, match.index), isEscape: false });
    parts.push({ text: escapeCharacter(match[0]), isEscape: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isEscape: false });
  return parts;
}

/** The text with the escapes, as a string for titles and attributes. */
export const printable = (text: string) => text.replace(unprintable, escapeCharacter);

const shownAtStart = 2;
const shownAtEnd = 2;
/** A number that would have fewer hidden digits is hidden completely. */
const minHidden = 4;

/** Hides all digits of a phone number except the first two and the last two: `91••••••••00`. */
export function maskNumber(number: string): string {
  const hidden = number.length - shownAtStart - shownAtEnd;
  if (hidden < minHidden) return '•'.repeat(number.length);
  return number.slice(0, shownAtStart) + '•'.repeat(hidden) + number.slice(-shownAtEnd);
}

// Digits that touch letters or dashes are parts of ids. `%2B` is an encoded plus sign.
const numbers = /(?<=^|[^\p{L}\p{N}_-]|%2B)\d{8,15}(?![\p{L}\p{N}_-])/giu;

/** Masks everything in a text that may be a phone number. This includes some other numbers. */
export const maskNumbersIn = (text: string) => text.replace(numbers, maskNumber);
