import { isTooDeep } from './depth.js';
import { type JsonObject, type JsonValue, lookup } from './path.js';

const mostBytes = 16 * 1024;
const mostPlaceholders = 100;
const mostDepth = 32;

// A placeholder: a path between double braces, spaces inside allowed. Anything else in braces is plain text.
const placeholder = /\{\{[ \t]*([^\s{}]+)[ \t]*\}\}/g;
const onlyPlaceholder = /^\{\{[ \t]*([^\s{}]+)[ \t]*\}\}$/;

export type Rendered<T> = { value: T; warnings: string[] };

export const hasPlaceholders = (text: string): boolean => text.search(placeholder) >= 0;

/**
 * Replaces each placeholder of a text by its value, in one pass: what a value holds is never expanded again. Unknown
 * and null become nothing, with a warning; an object is written as JSON.
 */
export function renderText(text: string, scope: JsonObject, encode = (value: string) => value): Rendered<string> {
  const warnings: string[] = [];
  const value = text.replace(placeholder, (_whole, path: string) => {
    const found = lookup(scope, path);
    if (found === undefined || found === null) warnings.push(warningFor(path, found));
    return found === undefined || found === null ? '' : encode(asText(found));
  });
  return { value, warnings };
}

const asText = (value: JsonValue) => (typeof value === 'string' ? value : JSON.stringify(value));
const warningFor = (path: string, value: null | undefined) => `{{${path}}} ${value === null ? 'is null' : 'is unknown'}`;

/**
 * Fills in the string values of a body template, never its keys. A value that is one placeholder and nothing else
 * takes the field's JSON type; unknown and null become null.
 */
export function renderBody(template: JsonObject, scope: JsonObject): Rendered<JsonValue> {
  const warnings: string[] = [];
  const render = (node: JsonValue): JsonValue => {
    if (typeof node === 'string') return renderLeaf(node, scope, warnings);
    if (Array.isArray(node)) return node.map(render);
    if (typeof node !== 'object' || node === null) return node;
    // fromEntries defines own properties, also for a key such as __proto__.
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, render(value)]));
  };
  return { value: render(template), warnings };
}

function renderLeaf(text: string, scope: JsonObject, warnings: string[]): JsonValue {
  const [, path] = onlyPlaceholder.exec(text) ?? [];
  if (path === undefined) {
    const rendered = renderText(text, scope);
    warnings.push(...rendered.warnings);
    return rendered.value;
  }
  const found = lookup(scope, path);
  if (found === undefined || found === null) warnings.push(warningFor(path, found));
  return found ?? null;
}

/** Percent-encodes a value so that it can neither add a parameter or a fragment nor be malformed. */
export const encodeQueryValue = (value: string): string => encodeURIComponent(value.toWellFormed());

/** Fills in the placeholders of a uri, which stand in values of query parameters only. */
export function renderUri(uri: string, scope: JsonObject): Rendered<string> {
  return renderText(uri, scope, encodeQueryValue);
}

/** What is wrong with a body template, a text each; nothing when it may be stored. */
export function checkTemplate(template: unknown): string[] {
  if (typeof template !== 'object' || template === null || Array.isArray(template)) {
    return ['The payload field must be an object.'];
  }
  if (isTooDeep(template, mostDepth)) return [`The payload field must not be nested more than ${mostDepth} levels deep.`];
  const text = JSON.stringify(template);
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
  const names = start < 0 ? [] : uri.slice(start + 1).split('&').map((pair) => pair.split('=', 1)[0] ?? '');
  // A pair without `=` is all name.
  if ([head, ...names].some((part) => /\{\{|\}\}/.test(part))) {
    return ['The uri field may have placeholders in values of query parameters only.'];
  }
  return countPlaceholders(uri) > mostPlaceholders
    ? [`The uri field must not have more than ${mostPlaceholders} placeholders.`]
    : [];
}
