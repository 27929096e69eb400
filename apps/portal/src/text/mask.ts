const shownAtStart = 2;
const shownAtEnd = 2;
/** Of a number with fewer hidden digits nothing is shown. */
const minHidden = 4;

/** A phone number with all digits hidden except for the first and last two: `91••••••••00`. */
export function maskNumber(number: string): string {
  const hidden = number.length - shownAtStart - shownAtEnd;
  if (hidden < minHidden) return '•'.repeat(number.length);
  return number.slice(0, shownAtStart) + '•'.repeat(hidden) + number.slice(-shownAtEnd);
}

// Digits that touch letters or dashes are parts of ids. `%2B` is an encoded plus sign.
const numbers = /(?<=^|[^\p{L}\p{N}_-]|%2B)\d{8,15}(?![\p{L}\p{N}_-])/giu;

/** A text with everything masked that may be a phone number. It masks some other numbers, too. */
export const maskNumbersIn = (text: string) => text.replace(numbers, maskNumber);
