type Visit = (sign: string, at: number, end: number) => void;

/**
 * Goes once through a JSON text and names every bracket, colon, comma and string outside of other strings, with where
 * it begins and ends. In linear time and without recursion; what is no JSON only makes it name something else.
 */
export function scan(text: string, visit: Visit): void {
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if (!'"{}[]:,'.includes(sign)) continue;
    const end = sign === '"' ? endOfString(text, at) : at + 1;
    visit(sign, at, end);
    at = end - 1;
  }
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at + 1;
}

/** How many levels deep a JSON text is nested, members that JSON.parse drops for their duplicates included. */
export function depthOfText(text: string): number {
  let depth = 0;
  let most = 0;
  scan(text, (sign) => {
    if (sign === '{' || sign === '[') most = Math.max(most, ++depth);
    else if (sign === '}' || sign === ']') depth--;
  });
  return most;
}

/**
 * The text of one member of a JSON object, or of each object in a JSON array, as it was written: JSON.parse forgets how
 * numbers were spelt, duplicate keys and the order of keys such as "2" and "1". Like there, the last of duplicates
 * counts. Undefined for an item without the member. The text has to be what JSON.parse takes.
 */
export function memberSources(text: string, name: string): (string | undefined)[] {
  const isList = /^\s*\[/.test(text);
  const level = isList ? 2 : 1;
  const sources: (string | undefined)[] = [undefined];
  let [depth, item, key, valueAt] = [0, 0, '', -1];
  scan(text, (sign, at, end) => {
    if (sign === '"') {
      if (depth === level && valueAt < 0) key = text.slice(at, end);
    } else if (sign === ':') {
      if (depth === level) valueAt = end;
    } else if (sign === '{' || sign === '[') {
      depth++;
    } else {
      if (depth === level && valueAt >= 0) {
        if (isText(key, name)) sources[item] = text.slice(valueAt, at).trim();
        valueAt = -1;
      }
      if (sign !== ',') depth--;
      else if (isList && depth === 1) sources[++item] = undefined;
    }
  });
  return sources;
}

/** Whether the JSON text of a string stands for this one, whose letters may have been escaped. */
const isText = (source: string, text: string) =>
  source === `"${text}"` || (source.includes('\\') && JSON.parse(source) === text);
