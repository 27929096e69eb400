import { isUtf8 } from 'node:buffer';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Request, RequestHandler } from 'express';
import { z } from 'zod';
import { isDeeperThan, memberTexts, parseExactJson } from '@ringback/rules';
import { ApiError } from './response.js';

const maxJsonDepth = 100;
const jsonTypes = ['application/json', 'application/*+json'];
const formType = 'application/x-www-form-urlencoded';
const ndjsonType = 'application/x-ndjson';
const multipartType = 'multipart/form-data';

/** The key is a body that `readBody` parsed from JSON, the value is its JSON text. */
const jsonTexts = new WeakMap<object, string>();
/** The bodies that `readBody` parsed from forms. */
const forms = new WeakSet<object>();

/**
 * Parses a body, JSON or a form of either type, into `request.body`; undefined when there is no body. It throws
 *
 * - a 413 if the body is larger than `maxBytes`,
 * - a 415 if its content type, charset or content encoding is not one of ours,
 * - a 400 if it is not what its type says.
 */
export function readBody(maxBytes: number): RequestHandler[] {
  const parse: RequestHandler = async (request, _response, next) => {
    const text: string = request.body;
    const form = text === '' ? false : request.is([formType, multipartType]);
    const body =
      form === multipartType
        ? await parseMultipart(text, request.headers['content-type'] ?? '')
        : form
          ? parseForm(text)
          : parseJsonBody(text);
    if (form) forms.add(Object(body));
    else if (typeof body === 'object' && body !== null) jsonTexts.set(body, text);
    request.body = body;
    next();
  };
  return [
    checkType([...jsonTypes, formType, multipartType], `application/json, ${formType} or ${multipartType}`),
    readText(maxBytes),
    parse,
  ];
}

/**
 * Sets `request.body` to the text of a body with a JSON type, for `parseJsonBody`. Without a body the text is empty. A
 * body of NDJSON is not read: `readLines` reads it as a stream. Throws the 413 and 415 of `readBody`, and a 400 for
 * bytes that are not UTF-8.
 */
export function readJsonTextUnlessNdjson(maxBytes: number): RequestHandler[] {
  const read = readText(maxBytes);
  return [
    checkType([...jsonTypes, ndjsonType], `application/json or ${ndjsonType}`),
    (request, response, next) => (isNdjson(request) ? next() : read(request, response, next)),
  ];
}

/** Whether the request has a body of newline-delimited JSON. */
export const isNdjson = (request: Request): boolean => Boolean(request.is(ndjsonType));

/** Parses the text of a JSON body; undefined if it is empty. Throws a 400 if it is not JSON or nested too deeply. */
export function parseJsonBody(text: string): unknown {
  if (text === '') return undefined;
  const body = parseJson(text);
  if (isDeeperThan(body, maxJsonDepth)) throw new ApiError(400, 'The request body is nested too deeply.');
  return body;
}

/** Whether `readBody` parsed the body from a form. All numbers and booleans of a form are strings. */
export const isForm = (body: unknown): boolean => forms.has(Object(body));

/**
 * The body that `readBody` parsed, with the exact digits of the numbers in the member `name`. A form, or a body without
 * the member, is returned unchanged.
 */
export function withExactNumbers(body: unknown, name: string): unknown {
  const text = memberText(body, name);
  return text === undefined ? body : { ...Object(body), [name]: parseExactJson(text) };
}

/** The source text of the member `name` of a JSON body that `readBody` parsed; undefined if there is none. */
export function memberText(body: unknown, name: string): string | undefined {
  const text = Array.isArray(body) ? undefined : jsonTexts.get(Object(body));
  return text === undefined ? undefined : memberTexts(text, name)[0];
}

const checkType =
  (types: string[], typeNames: string): RequestHandler =>
  (request, _response, next) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    const hasBody = encoding !== undefined || (length !== undefined && length !== '0');
    if (hasBody && !request.is(types)) throw new ApiError(415, `The request body must be ${typeNames}.`);
    const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(request.headers['content-type'] ?? '') ?? [];
    if (hasBody && !/^utf-?8$/i.test(charset))
      throw new ApiError(415, `The request body must be ${typeNames} in UTF-8.`);
    next();
  };

/** Sets `request.body` to the text of the decompressed body. */
const readText =
  (maxBytes: number): RequestHandler =>
  async (request, _response, next) => {
    request.body = decodeText(await readBytes(request, maxBytes));
    next();
  };

/**
 * Reads and decompresses a body. Throws a 413, a 415 for an unknown content encoding, and a 400 for a body that does
 * not match its own. It isn't `express.raw`, which takes the body of a client that has ended its side of the connection
 * for one that was already read.
 */
function readBytes(request: Request, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = decompress(request);
    let parts: Buffer[] = [];
    let size = 0;
    body.on('data', (part: Buffer) => {
      size += part.length;
      if (size <= maxBytes) return void parts.push(part);
      parts = [];
      // The rest must pass before the connection can be used again.
      request.unpipe().resume();
      reject(new ApiError(413, 'The request body is too large.'));
    });
    body.once('end', () => resolve(Buffer.concat(parts)));
    body.on('error', () => reject(new ApiError(400, 'The request is malformed.')));
  });
}

const decompressors: Record<string, () => Transform> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** The decompressed body. An aborted request is an error of it. Throws a 415 for an unknown content encoding. */
export function decompress(request: Request): Readable {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return request;
  const create = decompressors[encoding];
  if (!create) throw new ApiError(415, 'The content encoding of the request is not supported.');
  const decompressor = create();
  request.once('close', () => request.complete || decompressor.destroy(new Error('the request was aborted')));
  return request.pipe(decompressor);
}

function decodeText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new ApiError(400, 'The request body is not valid UTF-8.');
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, 'The request body is not valid JSON.');
  }
}

/** `nextIndex`: the key that `[]` stands for, one above the largest index. */
type FormNode = { fields: Map<string, string | FormNode>; nextIndex: number };

const maxFormDepth = 32;
const createNode = (): FormNode => ({ fields: new Map(), nextIndex: 0 });

/**
 * Parses a form and nests its fields as PHP does: `a[b]=1` is `{a: {b: "1"}}`; `a[]=1` and `a[0]=1` are `{a: ["1"]}`.
 * If a name is repeated, its last value counts, but each `a[]` appends a value. Throws a 400 if the decoded bytes are
 * not UTF-8, or if a name has more than 32 keys.
 */
function parseForm(text: string): Record<string, unknown> {
  const pairs = text.split('&').filter((part) => part !== '');
  return nestFields(
    pairs.map((pair) => {
      const end = pair.includes('=') ? pair.indexOf('=') : pair.length;
      return [decodeFormText(pair.slice(0, end)), decodeFormText(pair.slice(end + 1))];
    }),
  );
}

/**
 * Parses a `multipart/form-data` body as `parseForm` does. Throws a 400 for a body that is not of that type, and a 415
 * for a file: no field takes one.
 */
async function parseMultipart(text: string, contentType: string): Promise<Record<string, unknown>> {
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
function decodeFormText(text: string): string {
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
  if (keys.length > maxFormDepth) throw new ApiError(400, 'The request body is nested too deeply.');
  return keys;
}

function setField(node: FormNode, [first = '', ...rest]: string[], value: string): void {
  const key = first === '' ? String(node.nextIndex) : first;
  if (isIndex(key)) node.nextIndex = Math.max(node.nextIndex, Number(key) + 1);
  if (rest.length === 0) return void node.fields.set(key, value);
  const existing = node.fields.get(key);
  const child = typeof existing === 'object' ? existing : createNode();
  node.fields.set(key, child);
  setField(child, rest, value);
}

const isIndex = (key: string) => /^(0|[1-9]\d{0,14})$/.test(key);

function valueOf(node: string | FormNode): unknown {
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
