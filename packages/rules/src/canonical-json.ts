import { endOfString } from './scan-json.js';

/**
 * A form of a valid JSON text that is the same for all texts with the same content: without white space, with the
 * members of each object in order, and with one way to escape a string. Numbers stay as they are written, so `2.0000`
 * differs from `2`. Of duplicate members the last one counts. It reads the text itself, which is faster than JSON.parse
 * with a search for numbers that JavaScript would write differently. It recurses, so the text must not be nested deeply:
 * `parseEvent` refuses such payloads.
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
