import { z } from 'zod';
import { parseExactJson } from '@ringback/rules';
import { ApiError } from '../output/api-error.js';

/** `nextIndex`: the key that `[]` stands for, one above the largest index. */
type Node = { fields: Map<string, string | Node>; nextIndex: number };

const maxDepth = 32;
const createNode = (): Node => ({ fields: new Map(), nextIndex: 0 });

/**
 * Parses a form and nests its fields as PHP does: `a[b]=1` is `{a: {b: "1"}}`; `a[]=1` and `a[0]=1` are `{a: ["1"]}`.
 * If a name is repeated, its last value counts, but each `a[]` appends a value. Throws a 400 if the decoded bytes are
 * not UTF-8, or if a name has more than 32 keys.
 */
export function parseForm(text: string): Record<string, unknown> {
  const pairs = text.split('&').filter((part) => part !== '');
  return nestFields(
    pairs.map((pair) => {
      const end = pair.includes('=') ? pair.indexOf('=') : pair.length;
      return [decode(pair.slice(0, end)), decode(pair.slice(end + 1))];
    }),
  );
}

/**
 * Parses a `multipart/form-data` body as `parseForm` does. Throws a 400 for a body that is not of that type, and a 415
 * for a file: no field takes one.
 */
export async function parseMultipart(text: string, contentType: string): Promise<Record<string, unknown>> {
  const parsing = new Response(text, { headers: { 'content-type': contentType } }).formData();
  const parts = await parsing.catch(() => {
    throw new ApiError(400, 'The request body is not valid multipart/form-data.');
  });
  return nestFields(
    [...parts].map(([name, value]) => {
      if (typeof value !== 'string') throw new ApiError(415, `The field ${name} must not be a file.`);
      return [name, value];
    }),
  );
}

function nestFields(fields: [name: string, value: string][]): Record<string, unknown> {
  const root = createNode();
  for (const [name, value] of fields) setField(root, parseName(name), value);
  return Object.fromEntries([...root.fields].map(([name, node]) => [name, valueOf(node)]));
}

/** Decodes percent-encoding and `+`, which stands for a space. A `%` that does not start an escape is kept. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' ').replace(/%(?![0-9a-f]{2})/gi, '%25'));
  } catch {
    throw new ApiError(400, 'The request body is not valid UTF-8.');
  }
}

/** Splits a field name into keys: `a[b][]` becomes `a`, `b` and an empty key. */
function parseName(name: string): string[] {
  const [, first = name, rest = ''] = /^([^[]+)((?:\[[^\]]*\])*)$/.exec(name) ?? [];
  const keys = [first, ...[...rest.matchAll(/\[([^\]]*)\]/g)].map(([, key = '']) => key)];
  if (keys.length > maxDepth) throw new ApiError(400, 'The request body is nested too deeply.');
  return keys;
}

function setField(node: Node, [first = '', ...rest]: string[], value: string): void {
  const key = first === '' ? String(node.nextIndex) : first;
  if (isIndex(key)) node.nextIndex = Math.max(node.nextIndex, Number(key) + 1);
  if (rest.length === 0) return void node.fields.set(key, value);
  const existing = node.fields.get(key);
  const child = typeof existing === 'object' ? existing : createNode();
  node.fields.set(key, child);
  setField(child, rest, value);
}

const isIndex = (key: string) => /^(0|[1-9]\d{0,14})$/.test(key);

function valueOf(node: string | Node): unknown {
  if (typeof node === 'string') return node;
  const entries = [...node.fields].map(([key, child]) => [key, valueOf(child)] as const);
  const isList = entries.every(([key], index) => key === String(index));
  return isList ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}

/**
 * Converts the text values of a form to the types that the schema gives its fields: whole numbers, booleans, and JSON
 * objects or lists. Where the schema does not allow text, an empty text becomes null. Nested values are not converted.
 */
export function convertFormValues(schema: z.ZodType, form: object): object {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const { properties = {} } = resolveReference(root, $defs);
  const convert = (name: string, value: unknown) =>
    typeof value === 'string' ? convertText(typesOf(properties[name], $defs), value) : value;
  return Object.fromEntries(Object.entries(form).map(([name, value]) => [name, convert(name, value)]));
}

type JsonSchema = z.core.JSONSchema.BaseSchema;
type Definitions = Record<string, JsonSchema>;

/** Follows the reference that zod writes in place of a schema with an id. */
const resolveReference = (schema: JsonSchema, definitions: Definitions): JsonSchema =>
  (schema.$ref && definitions[schema.$ref.replace('#/$defs/', '')]) || schema;

function typesOf(schema: JsonSchema | boolean | undefined, definitions: Definitions): string[] {
  if (typeof schema !== 'object') return [];
  const { type = [], anyOf = [] } = resolveReference(schema, definitions);
  return [...[type].flat(), ...anyOf.flatMap((alternative) => typesOf(alternative, definitions))];
}

const booleans: Record<string, boolean> = { true: true, 1: true, false: false, 0: false };

/** Converts a text to one of the types. A text that cannot be converted stays text, which the schema refuses. */
function convertText(types: string[], text: string): unknown {
  if (types.length === 0 || types.includes('string')) return text;
  if (text === '') return null;
  if (types.includes('boolean')) return booleans[text] ?? text;
  if (types.includes('integer') || types.includes('number')) return /^-?\d+$/.test(text) ? Number(text) : text;
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
}
