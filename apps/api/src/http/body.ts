import { isUtf8 } from 'node:buffer';
import express, { type RequestHandler } from 'express';
import { isTooDeep, memberSources, parseExactJson } from '@ringback/callbacks';
import { ApiError } from './api-error.js';
import { parseForm } from './form.js';

const maxDepth = 100;
const any = () => true;
const jsonTypes = ['application/json', 'application/*+json'];
const formType = 'application/x-www-form-urlencoded';

/** The JSON text of a body, by the object that it was parsed to. */
const texts = new WeakMap<object, string>();
const forms = new WeakSet<object>();

/**
 * Reads a body of at most `limit` bytes, JSON or a form; undefined without one. 415 for another type when there is a
 * body, 400 when it is not what its type says.
 */
export function readBody(limit: number): RequestHandler[] {
  const parse: RequestHandler = (request, _response, next) => {
    const text: string = request.body;
    const isForm = text !== '' && Boolean(request.is(formType));
    const body = isForm ? parseForm(text) : parseBody(text);
    if (isForm) forms.add(Object(body));
    else if (typeof body === 'object' && body !== null) texts.set(body, text);
    request.body = body;
    next();
  };
  return [checkType([...jsonTypes, formType], `application/json or ${formType}`), ...readText(limit), parse];
}

/** Reads a JSON body of at most `limit` bytes as the text that came, for `parseBody`; without a body it is empty. */
export const readJsonText = (limit: number): RequestHandler[] => [
  checkType(jsonTypes, 'application/json'),
  ...readText(limit),
];

/** The value of a body's text; undefined for none. 400 when it is not JSON or nested too deeply. */
export function parseBody(text: string): unknown {
  if (text === '') return undefined;
  const body = parseJson(text);
  if (isTooDeep(body, maxDepth)) throw new ApiError(400, 'The request body is nested too deeply.');
  return body;
}

/** Whether a body that `readBody` read came as a form: all its values are texts. */
export const isForm = (body: unknown): boolean => forms.has(Object(body));

/** A body that `readBody` read, with the numbers in one of its members spelt as they came. */
export function withExactNumbers(body: unknown, name: string): unknown {
  const text = memberText(body, name);
  return text === undefined ? body : { ...Object(body), [name]: parseExactJson(text) };
}

/** The JSON text of a member of a JSON body that `readBody` read, as it came. */
export function memberText(body: unknown, name: string): string | undefined {
  const text = Array.isArray(body) ? undefined : texts.get(Object(body));
  return text === undefined ? undefined : memberSources(text, name)[0];
}

const checkType =
  (types: string[], wanted: string): RequestHandler =>
  (request, _response, next) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    const hasBody = encoding !== undefined || (length !== undefined && length !== '0');
    if (hasBody && !request.is(types)) throw new ApiError(415, `The request body must be ${wanted}.`);
    const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(request.headers['content-type'] ?? '') ?? [];
    if (hasBody && !/^utf-?8$/i.test(charset)) throw new ApiError(415, `The request body must be ${wanted} in UTF-8.`);
    next();
  };

/** Sets `request.body` to the text of the body, after any Content-Encoding was undone. */
const readText = (limit: number): RequestHandler[] => [
  express.raw({ limit, type: any }),
  (request, _response, next) => {
    const bytes: unknown = request.body;
    request.body = Buffer.isBuffer(bytes) ? decode(bytes) : '';
    next();
  },
];

function decode(bytes: Buffer): string {
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
