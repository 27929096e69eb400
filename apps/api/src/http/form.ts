import { z } from 'zod';
import { parseExactJson } from '@ringback/callbacks';
import { ApiError } from './api-error.js';

type Node = Map<string, string | Node>;

const maxSteps = 32;

/**
 * The fields of a form, nested as PHP writes and reads them: `a[b]=1` is `{a: {b: "1"}}`; `a[]=1` and `a[0]=1` are
 * `{a: ["1"]}`. Of a repeated name the last value counts. 400 when the bytes behind `%` escapes are not UTF-8.
 */
export function parseForm(text: string): Record<string, unknown> {
  const root: Node = new Map();
  for (const pair of text.split('&').filter((part) => part !== '')) {
    const end = pair.includes('=') ? pair.indexOf('=') : pair.length;
    put(root, stepsOf(decode(pair.slice(0, end))), decode(pair.slice(end + 1)));
  }
  return Object.fromEntries([...root].map(([name, node]) => [name, valueOf(node)]));
}

/** A `%` that begins no escape stands for itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' ').replace(/%(?![0-9a-f]{2})/gi, '%25'));
  } catch {
    throw new ApiError(400, 'The request body is not valid UTF-8.');
  }
}

function stepsOf(name: string): string[] {
  const [, first = name, rest = ''] = /^([^[]+)((?:\[[^\]]*\])*)$/.exec(name) ?? [];
  const steps = [first, ...[...rest.matchAll(/\[([^\]]*)\]/g)].map(([, step = '']) => step)];
  if (steps.length > maxSteps) throw new ApiError(400, 'The request body is nested too deeply.');
  return steps;
}

function put(node: Node, [step = '', ...rest]: string[], value: string): void {
  const key = step === '' ? String(node.size) : step;
  if (rest.length === 0) return void node.set(key, value);
  const known = node.get(key);
  const child: Node = known instanceof Map ? known : new Map();
  node.set(key, child);
  put(child, rest, value);
}

function valueOf(node: string | Node): unknown {
  if (typeof node === 'string') return node;
  const entries = [...node].map(([key, child]) => [key, valueOf(child)] as const);
  const isList = entries.every(([key], index) => key === String(index));
  return isList ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}

/** The values of a form as JSON would have them: what the schema wants as a number, a boolean or an object is one. */
export function readFormValues(schema: z.ZodType, form: object): object {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const read = (name: string, value: unknown) =>
    typeof value === 'string' ? readAs(typesOf(properties[name]), value) : value;
  return Object.fromEntries(Object.entries(form).map(([name, value]) => [name, read(name, value)]));
}

type Described = Exclude<NonNullable<z.core.JSONSchema.BaseSchema['properties']>[string], boolean>;

function typesOf(schema: Described | boolean | undefined): string[] {
  if (typeof schema !== 'object') return [];
  const { type = [], anyOf = [] } = schema;
  return [...[type].flat(), ...anyOf.flatMap(typesOf)];
}

const booleans: Record<string, boolean> = { true: true, 1: true, false: false, 0: false };

/** A text that cannot be read as one of the types stays as it is, and is refused as such. */
function readAs(types: string[], text: string): unknown {
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
