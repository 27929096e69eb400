import {
  isDeeperThan,
  stringifyExactJson,
  ExactNumber,
  type JsonObject,
  type JsonValue,
  isStorable,
  parseExactJson,
} from './json.js';

const maxTemplateBytes = 16 * 1024;
export const maxPlaceholders = 100;
const maxDepth = 32;
const maxTotalLength = 256 * 1024;

// A placeholder is a path between double braces, with optional spaces. Other text in braces is not a placeholder.
const placeholder = /\{\{[ \t]*([^\s{}\p{Cc}\p{Cs}]+)[ \t]*\}\}/gu;
const onlyPlaceholder = new RegExp(`^${placeholder.source}$`, 'u');

/** `tooLarge`: the values exceed 256 Ki characters in total. Placeholders beyond that render as null or empty. */
export type Rendered<T> = { value: T; warnings: string[]; tooLarge: boolean };

/**
 * The state of one rendering. `values`: where placeholders are looked up. `remainingLength` is negative once the
 * rendered values exceed the limit.
 */
export type Rendering = { values: JsonObject; warnings: string[]; remainingLength: number };

export const startRendering = (values: JsonObject): Rendering => ({
  values,
  warnings: [],
  remainingLength: maxTotalLength,
});
export const finishRendering = <T>(value: T, { warnings, remainingLength }: Rendering): Rendered<T> => ({
  value,
  warnings,
  tooLarge: remainingLength < 0,
});

/** The paths of the placeholders in a text, in order. */
const placeholdersIn = (text: string): string[] => [...text.matchAll(placeholder)].map(([, path = '']) => path);

/** Whether a text has a placeholder (docs/reference/callbacks.md#composed-webhooks). */
export const hasPlaceholders = (text: string): boolean => text.search(placeholder) >= 0;

/** Whether a text has `{{` that begins no placeholder. */
export const hasStrayBraces = (text: string): boolean => withPlaceholdersAs(text, '-').includes('{{');

/** A text with each character of its placeholders replaced by `character`. */
export const withPlaceholdersAs = (text: string, character: string): string =>
  text.replace(placeholder, ({ length }) => character.repeat(length));

/**
 * Replaces each placeholder in a text with its value, in one pass: placeholders inside values are not expanded. Unknown
 * and null values become empty text and add a warning. Objects and arrays become JSON.
 */
export function replacePlaceholders(text: string, rendering: Rendering, encode = (value: string) => value): string {
  return text.replace(placeholder, (_match, path: string) => {
    const value = resolvePlaceholder(path, rendering);
    return value === null ? '' : encode(asText(value));
  });
}

/** The value of a placeholder. Null if it is unknown or null, both with a warning, or beyond the limit. */
function resolvePlaceholder(path: string, rendering: Rendering): JsonValue {
  if (rendering.remainingLength < 0) return null;
  const value = placeholderValue(rendering.values, path);
  if (value === undefined || value === null) {
    rendering.warnings.push(`{{${path}}} ${value === null ? 'is null' : 'is unknown'}`);
    return null;
  }
  rendering.remainingLength -= asText(value).length;
  return rendering.remainingLength < 0 ? null : value;
}

const asText = (value: JsonValue) => (typeof value === 'string' ? value : stringifyExactJson(value));

/**
 * Renders the string values of a body template, but not its keys. A string that consists of one placeholder takes the
 * JSON type of its value, and becomes null if the value is unknown or null.
 */
export function renderBody(template: JsonObject, values: JsonObject): Rendered<JsonValue> {
  const rendering = startRendering(values);
  const renderNode = (node: JsonValue): JsonValue => {
    if (typeof node === 'string') return renderString(node, rendering);
    if (Array.isArray(node)) return node.map(renderNode);
    if (typeof node !== 'object' || node === null || node instanceof ExactNumber) return node;
    // fromEntries defines own properties, even for the key __proto__.
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, renderNode(value)]));
  };
  return finishRendering(renderNode(template), rendering);
}

function renderString(text: string, rendering: Rendering): JsonValue {
  const [, path] = onlyPlaceholder.exec(text) ?? [];
  return path === undefined ? replacePlaceholders(text, rendering) : resolvePlaceholder(path, rendering);
}

/** Returns the errors of a body template; an empty list if it may be stored. */
export function checkTemplate(template: unknown): string[] {
  if (typeof template !== 'object' || template === null || Array.isArray(template) || template instanceof ExactNumber) {
    return ['The payload field must be an object.'];
  }
  if (isDeeperThan(template, maxDepth))
    return [`The payload field must not be nested more than ${maxDepth} levels deep.`];
  const text = stringifyExactJson(template);
  const errors: string[] = [];
  if (Buffer.byteLength(text) > maxTemplateBytes)
    errors.push('The payload field must not be greater than 16 kilobytes.');
  if (countPlaceholders(text) > maxPlaceholders) {
    errors.push(`The payload field must not have more than ${maxPlaceholders} placeholders.`);
  }
  if (!isStorable(template)) errors.push('The payload field holds a character that is not allowed.');
  return errors;
}

export const countPlaceholders = (text: string) => text.match(placeholder)?.length ?? 0;

const statusMobile = 'payload.to';
const inboundMobile = 'payload.recipient.from';

/**
 * The value at a path such as `payload.message.payload.text`, `a.0.b` or `a[0].b`; undefined when there is none
 * (docs/reference/callbacks.md#paths). It reads own properties only, so a path cannot reach JavaScript's prototypes.
 * RCS events have no `payload.mobile`; in them it is an alias of `payload.to`, or of `payload.recipient.from` in an
 * inbound event.
 */
function placeholderValue(values: JsonObject, path: string): JsonValue | undefined {
  const found = readPath(values, path);
  if (found !== undefined || path !== 'payload.mobile') return found;
  const isInbound = values.event === 'rcs:message:in';
  const [first, second] = isInbound ? [inboundMobile, statusMobile] : [statusMobile, inboundMobile];
  return readPath(values, first) ?? readPath(values, second);
}

function readPath(values: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = values;
  for (const step of path.replace(/\[(\d+)\]/g, '.$1').split('.')) {
    if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return undefined;
    if (!Object.hasOwn(value, step)) return undefined;
    if (Array.isArray(value) && !/^\d+$/.test(step)) return undefined;
    value = Array.isArray(value) ? value[Number(step)] : value[step];
  }
  return value;
}

/**
 * Parses a plain body into the object in which placeholders are looked up: the report for SMS, `{event, payload}` for
 * all other events. Returns `{}` if the body is not an object.
 */
export function parseTemplateValues(text: string): JsonObject {
  const value = parseExactJson(text);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && !(value instanceof ExactNumber) ? value : {};
}

/** The texts of a webhook that may have placeholders. */
type Templates = { uri: string; bodyTemplate: JsonObject | null };

/** One warning for each placeholder that is unknown, null or empty in one event. */
export function lintTemplates(templates: Templates, values: JsonObject): string[] {
  return placeholdersOf(templates).flatMap((path) => {
    const found = placeholderValue(values, path);
    if (found === undefined) return `{{${path}}} is unknown`;
    if (found === null) return `{{${path}}} is null`;
    return found === '' ? `{{${path}}} is empty` : [];
  });
}

/** One warning for each placeholder that none of the events has. */
export const unknownPlaceholders = (templates: Templates, samples: JsonObject[]): string[] =>
  placeholdersOf(templates)
    .filter((path) => samples.every((values) => placeholderValue(values, path) === undefined))
    .map((path) => `{{${path}}} is unknown`);

/** The distinct paths of all placeholders of the templates. */
export const placeholdersOf = ({ uri, bodyTemplate }: Templates) => [
  ...new Set([uri, ...stringsIn(bodyTemplate)].flatMap(placeholdersIn)),
];

function stringsIn(node: JsonValue): string[] {
  if (typeof node === 'string') return [node];
  return typeof node === 'object' && node !== null ? Object.values(node).flatMap(stringsIn) : [];
}

/** The JSON text to store for a template. */
export const templateText = (template: JsonObject | null): string | null => template && stringifyExactJson(template);

/** Parses a stored template; null if it is not an object. Its numbers keep the digits that the customer wrote. */
export function readTemplate(text: string): JsonObject | null {
  const template = parseExactJson(text);
  const isObject = typeof template === 'object' && template !== null && !Array.isArray(template);
  return isObject && !(template instanceof ExactNumber) ? template : null;
}
