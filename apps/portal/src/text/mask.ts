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
