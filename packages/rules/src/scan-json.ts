/** `token` is the first character: a bracket, a colon, a comma, or the quote of a string. */
type Visit = (token: string, start: number, end: number) => void;

/**
 * Calls `visit` for every bracket, colon, comma and string of a JSON text, in order. It takes linear time and does not
 * recurse. The text must be valid JSON: in other text the tokens have no meaning, but the scan still ends.
 */
export function scanTokens(text: string, visit: Visit): void {
  for (let at = 0; at < text.length; at++) {
    const token = text.charAt(at);
    if (!'"{}[]:,'.includes(token)) continue;
    const end = token === '"' ? endOfString(text, at) : at + 1;
    visit(token, at, end);
    at = end - 1;
  }
}

/** The index after a string's closing quote. `start` is the index of its opening quote. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end + 1;
}

/** Whether an odd number of backslashes precedes the character. */
function isEscaped(text: string, index: number): boolean {
  let start = index;
  while (text.charCodeAt(start - 1) === 0x5c) start--;
  return (index - start) % 2 === 1;
}

/** The nesting depth of a JSON text. Duplicate members count too, although JSON.parse drops them. */
export function measureDepth(text: string): number {
  let depth = 0;
  let maxDepth = 0;
  scanTokens(text, (token) => {
    if (token === '{' || token === '[') maxDepth = Math.max(maxDepth, ++depth);
    else if (token === '}' || token === ']') depth--;
  });
  return maxDepth;
}

/**
 * The source text of the member `name` of a JSON object, or of each object in a JSON array: one text for each item,
 * undefined for an item without that member. JSON.parse would lose digits of numbers, duplicate keys, and the order of
 * keys such as "2" and "1". If a member is duplicated, the last one counts, as in JSON.parse. The text must be valid
 * JSON.
 */
export function memberTexts(text: string, name: string): (string | undefined)[] {
  const isList = /^\s*\[/.test(text);
  const memberDepth = isList ? 2 : 1;
  const texts: (string | undefined)[] = /^\s*\[\s*\]/.test(text) ? [] : [undefined];
  let depth = 0;
  let item = 0;
  let key = '';
  // The end of the member's colon; -1 outside of a value.
  let valueStart = -1;
  scanTokens(text, (token, start, end) => {
    if (token === '"') {
      // A string before the colon is the key; after it, the value.
      if (depth === memberDepth && valueStart < 0) key = text.slice(start, end);
    } else if (token === ':') {
      if (depth === memberDepth) valueStart = end;
    } else if (token === '{' || token === '[') {
      depth++;
    } else {
      if (depth === memberDepth && valueStart >= 0) {
        if (isJsonStringOf(key, name)) texts[item] = text.slice(valueStart, start).trim();
        valueStart = -1;
      }
      if (token !== ',') depth--;
      else if (isList && depth === 1) texts[++item] = undefined;
    }
  });
  return texts;
}

/** Whether a JSON string, whose characters may be escaped, has this value. */
const isJsonStringOf = (json: string, value: string) =>
  json === `"${value}"` || (json.includes('\\') && JSON.parse(json) === value);
