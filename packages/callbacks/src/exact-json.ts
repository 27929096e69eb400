import { scan } from './json-source.js';
import type { JsonObject, JsonValue } from './path.js';

/** A number whose JSON text JavaScript would spell in another way, such as `2.0000` or an integer beyond 2^53. */
export class JsonNumber {
  // Private, so that no path of a placeholder leads to it.
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  /** As it was written. */
  toString(): string {
    return this.#text;
  }
  toJSON(): number {
    return Number(this.#text);
  }
}

/** Numbers that JavaScript may spell in another way; texts of that form match, too. */
const unusual = /\d[.eE]|\d{16}|-0/;

/** Like JSON.parse, except that a number which JavaScript would spell in another way is a `JsonNumber`. */
export function parseExactJson(text: string): JsonValue {
  const plain: JsonValue = JSON.parse(text);
  return unusual.test(text) ? build(text) : plain;
}

type Container = { items: JsonValue[]; keys: string[] | null };

function build(text: string): JsonValue {
  const root: Container = { items: [], keys: null };
  const open = [root];
  let literalAt = 0;
  const add = (value: JsonValue) => void open.at(-1)?.items.push(value);
  const addLiteral = (end: number) => {
    const literal = text.slice(literalAt, end).trim();
    if (literal !== '') add(readLiteral(literal));
  };
  scan(text, (sign, at, end) => {
    addLiteral(at);
    literalAt = end;
    const { keys, items } = open.at(-1) ?? root;
    if (sign === '"') {
      const string: string = JSON.parse(text.slice(at, end));
      if (keys !== null && keys.length === items.length) keys.push(string);
      else add(string);
    } else if (sign === '{' || sign === '[') {
      open.push({ items: [], keys: sign === '{' ? [] : null });
    } else if (sign === '}' || sign === ']') {
      open.pop();
      add(keys === null ? items : toObject(keys, items));
    }
  });
  addLiteral(text.length);
  return root.items[0] ?? null;
}

// fromEntries defines own properties, also for a key such as __proto__; of duplicates the last counts.
const toObject = (keys: string[], items: JsonValue[]): JsonObject =>
  Object.fromEntries(keys.map((key, index) => [key, items[index] ?? null]));

function readLiteral(literal: string): JsonValue {
  const value: JsonValue = JSON.parse(literal);
  return typeof value !== 'number' || String(value) === literal ? value : new JsonNumber(literal);
}

/** Like JSON.stringify of a value that JSON has, except that a `JsonNumber` is written as it came. */
export function exactJsonText(value: unknown): string {
  if (value instanceof JsonNumber) return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => exactJsonText(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${exactJsonText(member)}`).join(',')}}`;
}
