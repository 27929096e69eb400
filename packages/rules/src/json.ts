import { scanTokens } from './json-scan.js';

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
    if (literal !== '') add(readLiteral(literal));
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

function readLiteral(literal: string): JsonValue {
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
