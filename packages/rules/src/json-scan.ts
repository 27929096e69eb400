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
function endOfString(text: string, start: number): number {
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

/**
 * The same text for all JSON texts with the same content: no white space, members in order, one way to escape a string.
 * Numbers stay as written (`2.0000` differs from `2`), and of duplicate members the last one counts.
 *
 * It scans the text, which is faster than JSON.parse and a search for the numbers that JavaScript would change. It
 * recurses: only for texts whose depth `parseEvent` has checked.
 */
export function canonicalJson(text: string): string {
  return readValue({ text, at: 0 });
}

/** `at` is the index of the next character to read. */
type Reader = { text: string; at: number };

const [quote, comma, colon] = [0x22, 0x2c, 0x3a];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

function readValue(reader: Reader): string {
  const code = peek(reader);
  if (code === quote) return readString(reader);
  if (code === openBrace) return readObject(reader);
  if (code === openBracket) return readArray(reader);
  return readLiteral(reader);
}

function readObject(reader: Reader): string {
  const members = new Map<string, string>();
  reader.at++;
  while (peek(reader) === quote) {
    const key = readString(reader);
    if (peek(reader) === colon) reader.at++;
    members.set(key, readValue(reader));
    if (peek(reader) === comma) reader.at++;
  }
  reader.at++;
  const keys = [...members.keys()].sort();
  return `{${keys.map((key) => `${key}:${members.get(key)}`).join(',')}}`;
}

function readArray(reader: Reader): string {
  const items: string[] = [];
  reader.at++;
  while (peek(reader) !== closeBracket && reader.at < reader.text.length) {
    items.push(readValue(reader));
    if (peek(reader) === comma) reader.at++;
  }
  reader.at++;
  return `[${items.join(',')}]`;
}

function readString(reader: Reader): string {
  const start = reader.at;
  reader.at = endOfString(reader.text, start);
  const string = reader.text.slice(start, reader.at);
  return string.includes('\\') ? JSON.stringify(JSON.parse(string)) : string;
}

function readLiteral(reader: Reader): string {
  const { text, at: start } = reader;
  while (reader.at < text.length && !isEndOfLiteral(text.charCodeAt(reader.at))) reader.at++;
  // A valid text has a literal here. In any other text, the reader still has to advance.
  if (reader.at === start) reader.at++;
  return text.slice(start, reader.at);
}

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const isEndOfLiteral = (code: number) =>
  code === comma || code === closeBrace || code === closeBracket || isSpace(code);

/** The code of the next character that is not white space; NaN at the end. */
function peek(reader: Reader): number {
  while (isSpace(reader.text.charCodeAt(reader.at))) reader.at++;
  return reader.text.charCodeAt(reader.at);
}

/**
 * Replaces the payload of an event by its JSON text if JSON.stringify would write it differently, such as with other
 * digits of a large number. `text` is the JSON text that `data` was parsed from.
 */
export function withExactPayload(data: unknown, text: string): unknown {
  if (typeof data !== 'object' || data === null || Array.isArray(data) || !('payload' in data)) return data;
  if (typeof data.payload !== 'object' || isExact(data.payload, text)) return data;
  const [source] = memberTexts(text, 'payload');
  return source === undefined ? data : { ...data, payload: source };
}

function isExact(payload: unknown, text: string): boolean {
  try {
    return text.includes(JSON.stringify(payload));
  } catch {
    // It is nested too deeply for JSON.stringify.
    return false;
  }
}
