/** `token` is the first character: a bracket, a colon, a comma, or the quote of a string. */
type Visit = (token: string, start: number, end: number) => void;

/**
 * Calls `visit` for every bracket, colon, comma and string of a JSON text, in order. It takes linear time and does not
 * recurse. The text must be valid JSON: in other text the tokens have no meaning, but the scan still ends.
 */
function scanTokens(text: string, visit: Visit): void {
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
  if (typeof data.payload !== 'object' || isExact(data, text)) return data;
  const [source] = memberTexts(text, 'payload');
  return source === undefined ? data : { ...data, payload: source };
}

/** Whether JSON.stringify writes the whole text again. That is so for what Node.js wrote, and quickly found out. */
function isExact(data: unknown, text: string): boolean {
  try {
    return text === JSON.stringify(data);
  } catch {
    // It is nested too deeply for JSON.stringify.
    return false;
  }
}

/** Like JSON.parse, but returns undefined for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * A number that keeps its JSON text, because JavaScript would write it differently: `2.0000`, or an integer above 2^53.
 */
export class ExactNumber {
  // A private field, so that a placeholder path cannot reach it.
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  /** The JSON text of the number. */
  toString(): string {
    return this.#text;
  }
  toJSON(): number {
    return Number(this.#text);
  }
}

/** Matches every JSON text with a number that JavaScript may write differently, and a few others. */
const mayLoseDigits = /\d[.eE]|\d{16}|-0/;

/** A parsed JSON value, in which a number may be an `ExactNumber`. */
export type JsonValue = string | number | ExactNumber | boolean | null | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };

/**
 * Like JSON.parse, but a number that JavaScript would write differently becomes an `ExactNumber`. Throws a SyntaxError
 * for text that is not JSON.
 */
export function parseExactJson(text: string): JsonValue {
  // JSON.parse is much faster, and refuses text that is not JSON.
  const parsed: JsonValue = JSON.parse(text);
  return mayLoseDigits.test(text) ? parseWithExactNumbers(text) : parsed;
}

type Container = { items: JsonValue[]; keys: string[] | null };

function parseWithExactNumbers(text: string): JsonValue {
  const root: Container = { items: [], keys: null };
  const stack = [root];
  let literalStart = 0;
  const add = (value: JsonValue) => void stack.at(-1)?.items.push(value);
  const addLiteral = (end: number) => {
    const literal = text.slice(literalStart, end).trim();
    if (literal !== '') add(parseLiteral(literal));
  };
  scanTokens(text, (token, start, end) => {
    addLiteral(start);
    literalStart = end;
    const { keys, items } = stack.at(-1) ?? root;
    if (token === '"') {
      const string: string = JSON.parse(text.slice(start, end));
      if (keys !== null && keys.length === items.length) keys.push(string);
      else add(string);
    } else if (token === '{' || token === '[') {
      stack.push({ items: [], keys: token === '{' ? [] : null });
    } else if (token === '}' || token === ']') {
      stack.pop();
      add(keys === null ? items : toObject(keys, items));
    }
  });
  addLiteral(text.length);
  return root.items[0] ?? null;
}

// fromEntries defines own properties, even for the key __proto__. Of duplicate keys the last one counts.
const toObject = (keys: string[], items: JsonValue[]): JsonObject =>
  Object.fromEntries(keys.map((key, index) => [key, items[index] ?? null]));

function parseLiteral(literal: string): JsonValue {
  const value: JsonValue = JSON.parse(literal);
  return typeof value !== 'number' || String(value) === literal ? value : new ExactNumber(literal);
}

/** Like JSON.stringify for JSON values, but an `ExactNumber` is written with its own text. */
export function stringifyExactJson(value: unknown): string {
  // JSON.stringify is much faster.
  return hasExactNumber(value) ? stringifyWithExactNumbers(value) : JSON.stringify(value);
}

const hasExactNumber = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (value instanceof ExactNumber || Object.values(value).some(hasExactNumber));

function stringifyWithExactNumbers(value: unknown): string {
  if (value instanceof ExactNumber) return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => stringifyWithExactNumbers(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${stringifyWithExactNumbers(member)}`).join(',')}}`;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether a JSON value is nested more than `maxDepth` levels deep. Not recursive, so no input exhausts the stack. */
export function isDeeperThan(value: unknown, maxDepth: number): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= maxDepth) return true;
    level = level.flatMap((node) => Object.values(node).filter(isContainer));
  }
  return false;
}

/** Whether PostgreSQL can store a text, or every text in a JSON value: none contains NUL or a lone surrogate. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, member]) => isStorable(key) && isStorable(member));
}

/** Whether a text has at most `max` characters. A character is a code point, so an emoji counts once. */
export const hasAtMostCharacters = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && [...text].length <= max);
