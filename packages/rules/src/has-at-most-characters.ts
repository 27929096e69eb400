/** Whether a text has at most `max` characters. A character is a code point, so an emoji counts once. */
export const hasAtMostCharacters = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && [...text].length <= max);
