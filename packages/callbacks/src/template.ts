import { isTooDeep } from './depth.js';
import { exactJsonText, JsonNumber } from './exact-json.js';
import { type JsonObject, type JsonValue, lookup } from './path.js';

const mostBytes = 16 * 1024;
const mostPlaceholders = 100;
const mostDepth = 32;
const roomForValues = 256 * 1024;

// A placeholder: a path between double braces, spaces inside allowed. Anything else in braces is plain text.
const placeholder = /\{\{[ \t]*([^\s{}\p{Cc}\p{Cs}]+)[ \t]*\}\}/gu;
const onlyPlaceholder = new RegExp(`^${placeholder.source}$`, 'u');

/** `tooLarge`: the values came to more than 256 KiB of text, and from there on nothing was filled in. */
export type Rendered<T> = { value: T; warnings: string[]; tooLarge: boolean };

/** One rendering under way; below zero there is no room left. */
type Filling = { scope: JsonObject; warnings: string[]; room: number };

const fillingOf = (scope: JsonObject): Filling => ({ scope, warnings: [], room: roomForValues });
const finish = <T>(value: T, { warnings, room }: Filling): Rendered<T> => ({ value, warnings, tooLarge: room < 0 });

/** The paths of the placeholders of a text, in their order. */
export const placeholdersIn = (text: string): string[] => [...text.matchAll(placeholder)].map(([, path = '']) => path);

export const hasPlaceholders = (text: string): boolean => text.search(placeholder) >= 0;

/**
 * Replaces each placeholder of a text by its value, in one pass: what a value holds is never expanded again. Unknown
 * and null become nothing, with a warning; an object is written as JSON.
 */
export function renderText(text: string, scope: JsonObject, encode = (value: string) => value): Rendered<string> {
  const filling = fillingOf(scope);
  return finish(fillText(text, filling, encode), filling);
}

function fillText(text: string, filling: Filling, encode = (value: string) => value): string {
  return text.replace(placeholder, (_whole, path: string) => {
    const found = valueAt(path, filling);
    return found === null ? '' : encode(asText(found));
  });
}

/** What a placeholder stands for; null, with a warning when the scope holds nothing there. */
function valueAt(path: string, filling: Filling): JsonValue {
  if (filling.room < 0) return null;
  const found = lookup(filling.scope, path);
  if (found === undefined || found === null) {
    filling.warnings.push(`{{${path}}} ${found === null ? 'is null' : 'is unknown'}`);
    return null;
  }
  filling.room -= asText(found).length;
  return filling.room < 0 ? null : found;
}

const asText = (value: JsonValue) => (typeof value === 'string' ? value : exactJsonText(value));

/**
 * Fills in the string values of a body template, never its keys. A value that is one placeholder and nothing else
 * takes the field's JSON type; unknown and null become null.
 */
export function renderBody(template: JsonObject, scope: JsonObject): Rendered<JsonValue> {
  const filling = fillingOf(scope);
  const render = (node: JsonValue): JsonValue => {
    if (typeof node === 'string') return fillLeaf(node, filling);
    if (Array.isArray(node)) return node.map(render);
    if (typeof node !== 'object' || node === null || node instanceof JsonNumber) return node;
    // fromEntries defines own properties, also for a key such as __proto__.
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, render(value)]));
  };
  return finish(render(template), filling);
}

function fillLeaf(text: string, filling: Filling): JsonValue {
  const [, path] = onlyPlaceholder.exec(text) ?? [];
  return path === undefined ? fillText(text, filling) : valueAt(path, filling);
}

/** Percent-encodes a value so that it can neither add a parameter or a fragment nor be malformed. */
export const encodeQueryValue = (value: string): string => encodeURIComponent(value.toWellFormed());

/** Fills in the placeholders of a uri, which stand in values of query parameters only. */
export function renderUri(uri: string, scope: JsonObject): Rendered<string> {
  return renderText(uri, scope, encodeQueryValue);
}

/** What is wrong with a body template, a text each; nothing when it may be stored. */
export function checkTemplate(template: unknown): string[] {
  if (typeof template !== 'object' || template === null || Array.isArray(template) || template instanceof JsonNumber) {
    return ['The payload field must be an object.'];
  }
  if (isTooDeep(template, mostDepth))
    return [`The payload field must not be nested more than ${mostDepth} levels deep.`];
  const text = exactJsonText(template);
  const errors: string[] = [];
  if (Buffer.byteLength(text) > mostBytes) errors.push('The payload field must not be greater than 16 kilobytes.');
  if (countPlaceholders(text) > mostPlaceholders) {
    errors.push(`The payload field must not have more than ${mostPlaceholders} placeholders.`);
  }
  if (!isStorable(template)) errors.push('The payload field holds a character that is not allowed.');
  return errors;
}

const countPlaceholders = (text: string) => text.match(placeholder)?.length ?? 0;

function isStorable(node: unknown): boolean {
  if (typeof node === 'string') return node.isWellFormed() && !node.includes('\0');
  if (typeof node !== 'object' || node === null) return true;
  return Object.entries(node).every(([key, value]) => isStorable(key) && isStorable(value));
}

/** What is wrong with the placeholders of a uri: they may stand in values of query parameters and nowhere else. */
export function checkUriTemplate(uri: string): string[] {
  const start = uri.indexOf('?');
  const head = start < 0 ? uri : uri.slice(0, start);
  const names =
    start < 0
      ? []
      : uri
          .slice(start + 1)
          .split('&')
          .map((pair) => pair.split('=', 1)[0] ?? '');
  // A pair without `=` is all name.
  if ([head, ...names].some((part) => /\{\{|\}\}/.test(part))) {
    return ['The uri field may have placeholders in values of query parameters only.'];
  }
  return countPlaceholders(uri) > mostPlaceholders
    ? [`The uri field must not have more than ${mostPlaceholders} placeholders.`]
    : [];
}
