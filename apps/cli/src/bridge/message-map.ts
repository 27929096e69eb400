import { readFileSync } from 'node:fs';
import {
  ExactNumber,
  isDeeperThan,
  isStorable,
  type JsonObject,
  type JsonValue,
  parseExactJson,
  platformEventNames,
  stringifyExactJson,
} from '@ringback/rules';
import { errorFields, OperatorError } from '@ringback/process';

/** Where the value of a field comes from (docs/guide/push.md#messages-of-another-shape). */
type FieldSource =
  | { kind: 'constant'; value: JsonValue }
  | { kind: 'path'; path: Path }
  | { kind: 'table'; path: Path; values: JsonObject; otherwise: FieldSource | undefined }
  | { kind: 'object'; members: [name: string, source: FieldSource][] };

/** `text` is the path as the map has it. */
type Path = { text: string; steps: (string | number)[]; isOptional: boolean };

/** For each field of an event where it comes from. `external_id` stands for the `account_id` of its account. */
export type MessageMap = { payload: FieldSource } & Partial<Record<TextField, FieldSource>>;

const textFields = ['event', 'account_id', 'external_id', 'webhook_id', 'identity', 'event_id'] as const;
type TextField = (typeof textFields)[number];
const fields: string[] = [...textFields, 'payload'];

/** What a map makes of a message: the data of an event, in which `external_id` may stand for `account_id`. */
export type MappedMessage =
  | { ok: true; event: string | undefined; externalId: string | undefined; data: JsonObject }
  | { ok: false; event: string | undefined; reason: string };

/**
 * Reads the map of `--map`: a file, or its JSON text, which starts with `{`. Throws an OperatorError that names the
 * place of a mistake.
 */
export function readMessageMap(option: string): MessageMap {
  const isText = option.trimStart().startsWith('{');
  const place = isText ? '--map' : `--map ${option}`;
  try {
    return parseMessageMap(isText ? option : readFileSync(option, 'utf8'));
  } catch (error) {
    if (error instanceof MapError) throw new OperatorError(`${place}: ${error.message}`);
    throw new OperatorError(`${place} cannot be read (${errorFields(error).error})`);
  }
}

/** A mistake in a map. Its message begins with the place. */
class MapError extends Error {
  override readonly name = 'MapError';
}

/** Parses the text of a map. Throws a MapError. */
export function parseMessageMap(text: string): MessageMap {
  const value = parseJsonText(text);
  if (!isObject(value)) throw new MapError('a map must be a JSON object');
  const unknown = Object.keys(value).find((name) => !fields.includes(name));
  if (unknown !== undefined)
    throw new MapError(`${unknown}: a map has no such field; its fields are ${fields.join(', ')}`);
  const has = (name: string) => Object.hasOwn(value, name);
  if (has('account_id') && has('external_id')) throw new MapError('external_id: account_id is given too; keep one');
  if (!has('account_id') && !has('external_id') && !has('webhook_id'))
    throw new MapError('account_id: it is required, unless external_id or webhook_id is given');
  const { payload } = value;
  if (payload === undefined) throw new MapError('payload: is required');
  const map: MessageMap = { payload: readPayloadSource(payload) };
  for (const name of textFields) if (has(name)) map[name] = readTextSource(name, value[name] ?? null);
  return map;
}

function parseJsonText(text: string): JsonValue {
  try {
    return parseExactJson(text);
  } catch (error) {
    const position = /at position (\d+)/.exec(errorFields(error).error)?.[1];
    const before = position === undefined ? text : text.slice(0, Number(position));
    const line = before.split('\n').length;
    throw new MapError(`line ${line}, column ${before.length - before.lastIndexOf('\n')}: this is not JSON`);
  }
}

function readPayloadSource(value: JsonValue): FieldSource {
  const source = readSource(value, 'payload');
  if (source.kind === 'constant' || source.kind === 'table')
    throw new MapError('payload: must be a path, or an object with a source for each field');
  if (source.kind === 'object' && !source.members.some(([name]) => name === 'id'))
    throw new MapError('payload.id: is required');
  return source;
}

function readTextSource(name: TextField, value: JsonValue): FieldSource {
  const source = readSource(value, name);
  if (source.kind === 'object') throw new MapError(`${name}: must be a path, a table or a constant`);
  for (const [constant, place] of constantsOf(source, name)) {
    if (typeof constant !== 'string' || constant === '')
      throw new MapError(`${place}: must be a text that is not empty`);
    if (name === 'event' && !platformEventNames.some((event) => event === constant))
      throw new MapError(`${place}: must be one of ${platformEventNames.join(', ')}`);
  }
  return source;
}

/** The values that a source may have whatever the message, with their places in the map. */
function constantsOf(source: FieldSource, place: string): [JsonValue, string][] {
  if (source.kind === 'constant') return [[source.value, place]];
  if (source.kind !== 'table') return [];
  const { values, otherwise } = source;
  const ofTable = Object.entries(values).map(([key, value]): [JsonValue, string] => [value, `${place}.$values.${key}`]);
  return otherwise === undefined ? ofTable : [...ofTable, ...constantsOf(otherwise, `${place}.$default`)];
}

function readSource(value: JsonValue, place: string): FieldSource {
  if (typeof value === 'string' && value.startsWith('$')) return { kind: 'path', path: parsePath(value, place) };
  if (Array.isArray(value)) throw new MapError(`${place}: must not be an array`);
  if (!isObject(value)) return { kind: 'constant', value };
  if (Object.keys(value).some((name) => name.startsWith('$'))) return readTable(value, place);
  const members = Object.entries(value).map(([name, member]): [string, FieldSource] => [
    name,
    readSource(member, `${place}.${name}`),
  ]);
  return { kind: 'object', members };
}

function readTable(table: JsonObject, place: string): FieldSource {
  const { $path: path, $values: values, $default: otherwise, ...others } = table;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new MapError(`${place}.${unknown}: a table has only the fields $path, $values and $default`);
  if (typeof path !== 'string') throw new MapError(`${place}.$path: must be a path, such as $.status`);
  if (values === undefined || !isObject(values))
    throw new MapError(`${place}.$values: must be an object, with what each value of the message stands for`);
  const nested = Object.entries(values).find(([, value]) => isObject(value) || Array.isArray(value));
  if (nested) throw new MapError(`${place}.$values.${nested[0]}: must be a text, a number, true, false or null`);
  return {
    kind: 'table',
    path: parsePath(path, `${place}.$path`),
    values,
    otherwise: otherwise === undefined ? undefined : readSource(otherwise, `${place}.$default`),
  };
}

const stepPattern = /\.([\p{L}_@][\p{L}\p{N}_@-]*)|\[(\d{1,6})\]|\['((?:[^'\\]|\\['\\])*)'\]/uy;

/** Parses `$`, or `$` with steps `.name`, `['any name']` and `[0]`; a `?` at the end makes it optional. */
function parsePath(text: string, place: string): Path {
  const isOptional = text.endsWith('?');
  const end = isOptional ? text.length - 1 : text.length;
  const steps: Path['steps'] = [];
  let at = 1;
  while (at < end) {
    stepPattern.lastIndex = at;
    const match = stepPattern.exec(text);
    if (text[0] !== '$' || match === null) break;
    const [step, name, index, quoted] = match;
    steps.push(index === undefined ? (name ?? quoted?.replace(/\\(.)/g, '$1') ?? '') : Number(index));
    at += step.length;
  }
  if (text[0] !== '$' || at !== end) {
    const shown = JSON.stringify(text);
    throw new MapError(
      `${place}: ${shown} is no path; write $.name, $['any name'] or $.list[0], with ? if it may be absent`,
    );
  }
  return { text, steps, isOptional };
}

/** Why the map cannot read a message. */
class Mismatch extends Error {
  constructor({ text }: Path, place: string, predicate: string) {
    super(`${text} (${place}) ${predicate}`);
  }
}

const maxDepth = 128;

/** Applies a map to a message. `text` is the JSON text of the message. Never throws. */
export function mapMessage(map: MessageMap, message: JsonValue, text: string): MappedMessage {
  if (isDeeperThan(message, maxDepth))
    return { ok: false, event: undefined, reason: 'the message is nested too deeply' };
  let event: string | undefined;
  try {
    event = readText(map, 'event', message);
    const data: JsonObject = {};
    for (const name of ['account_id', 'webhook_id', 'identity', 'event_id'] as const) {
      const value = readText(map, name, message);
      if (value !== undefined) data[name] = value;
    }
    const externalId = readText(map, 'external_id', message);
    data['payload'] = readPayload(map.payload, message, text);
    return { ok: true, event, externalId, data };
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    return { ok: false, event, reason: notFitting(error.message) };
  }
}

const notFitting = (reason: string) => `the map does not fit the message: ${reason}`;

/** Why a message is rejected whose `external_id` no account has. */
export function unknownAccountReason({ external_id: source }: MessageMap): string {
  const path = source && pathOf(source);
  return notFitting(`${path?.text ?? 'the constant'} (external_id) is the external_id of no account`);
}

/**
 * The text of a field. An integer stands for its digits. Null and "" are absent, which only an optional path may be.
 */
function readText(map: MessageMap, name: TextField, message: JsonValue): string | undefined {
  const source = map[name];
  if (source === undefined) return undefined;
  const value = readValue(source, message, name);
  if (typeof value === 'string' && value !== '' && isStorable(value)) return value;
  if (value !== undefined && isNumber(value) && /^-?\d+$/.test(String(value))) return String(value);
  // `readTextSource` lets only strings be constants.
  const path = pathOf(source);
  if (value === undefined || path === undefined) return undefined;
  if (value !== null && value !== '') throw new Mismatch(path, name, 'is not a text or an integer that can be stored');
  if (!path.isOptional) throw new Mismatch(path, name, 'is empty');
  return undefined;
}

/** The JSON text of the payload. The whole message and a text are kept byte for byte. */
function readPayload(source: FieldSource, message: JsonValue, text: string): string {
  const path = pathOf(source);
  const value = path?.steps.length === 0 ? message : readValue(source, message, 'payload');
  if (path !== undefined && !(value !== undefined && isObject(value)) && typeof value !== 'string')
    throw new Mismatch(path, 'payload', 'is not an object, or the JSON text of one');
  if (path?.steps.length === 0) return text;
  if (source.kind === 'object') requireMessageId(source, value);
  return typeof value === 'string' ? value : stringifyExactJson(value);
}

/**
 * Ringback requires an id of each message. That it comes from a path is worth more in the reason than that it is bad.
 */
function requireMessageId({ members }: ObjectSource, payload: JsonValue | undefined): void {
  const path = members.flatMap(([name, source]) => (name === 'id' ? (pathOf(source) ?? []) : []))[0];
  const id = payload !== undefined && isObject(payload) ? payload['id'] : undefined;
  if (path !== undefined && !(typeof id === 'string' && id !== '') && (id === undefined || !isNumber(id)))
    throw new Mismatch(path, 'payload.id', 'is not a text or an integer');
}

const pathOf = (source: FieldSource): Path | undefined =>
  source.kind === 'path' || source.kind === 'table' ? source.path : undefined;

/** The value of a source; undefined if its path is optional and finds nothing. Throws a Mismatch. */
function readValue(source: FieldSource, message: JsonValue, place: string): JsonValue | undefined {
  switch (source.kind) {
    case 'constant':
      return source.value;
    case 'path':
      return find(source.path, message, place);
    case 'table':
      return readFromTable(source, message, place);
    case 'object': {
      const members = source.members.flatMap(([name, member]): [string, JsonValue][] => {
        const value = readValue(member, message, `${place}.${name}`);
        return value === undefined ? [] : [[name, value]];
      });
      return Object.fromEntries(members);
    }
  }
}

type Table = Extract<FieldSource, { kind: 'table' }>;
type ObjectSource = Extract<FieldSource, { kind: 'object' }>;

function readFromTable({ path, values, otherwise }: Table, message: JsonValue, place: string): JsonValue | undefined {
  const found = find(path, message, place);
  if (found === undefined) return undefined;
  const key = isObject(found) || Array.isArray(found) ? undefined : String(found);
  if (key !== undefined && Object.hasOwn(values, key)) return values[key];
  if (otherwise !== undefined) return readValue(otherwise, message, place);
  throw new Mismatch(path, place, 'has a value that is not in $values');
}

function find(path: Path, message: JsonValue, place: string): JsonValue | undefined {
  let value: JsonValue | undefined = message;
  for (const step of path.steps) {
    if (typeof step === 'number') value = Array.isArray(value) ? value[step] : undefined;
    else value = value !== undefined && isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  if (value === undefined && !path.isOptional) throw new Mismatch(path, place, 'is not in the message');
  return value;
}

const isNumber = (value: JsonValue): value is number | ExactNumber =>
  typeof value === 'number' || value instanceof ExactNumber;

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
