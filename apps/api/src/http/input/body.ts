import { isUtf8 } from 'node:buffer';
import express, { type Request, type RequestHandler } from 'express';
import { isDeeperThan, memberTexts, parseExactJson } from '@ringback/rules';
import { ApiError } from '../output/api-error.js';
import { parseForm, parseMultipart } from './form.js';

const maxDepth = 100;
const anyType = () => true;
const jsonTypes = ['application/json', 'application/*+json'];
const formType = 'application/x-www-form-urlencoded';
const ndjsonType = 'application/x-ndjson';
const multipartType = 'multipart/form-data';

/** The key is a body that `readBody` parsed from JSON, the value is its JSON text. */
const jsonTexts = new WeakMap<object, string>();
/** The bodies that `readBody` parsed from forms. */
const forms = new WeakSet<object>();

/**
 * Parses a body, JSON or a form of either type, into `request.body`; undefined when there is no body. Throws a 413 for a
 * body of more than `maxBytes`, a 415 for a body of another content type, charset or content encoding, and a 400 for a
 * body that cannot be parsed.
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
    ...readText(maxBytes),
    parse,
  ];
}

/**
 * Sets `request.body` to the text of a body with a JSON type, for `parseJsonBody`. Without a body the text is empty. A
 * body of NDJSON is not read: `readLines` reads it as a stream. Throws the 413 and 415 of `readBody`, and a 400 for bytes
 * that are not UTF-8.
 */
export const readJsonTextUnlessNdjson = (maxBytes: number): RequestHandler[] => [
  checkType([...jsonTypes, ndjsonType], `application/json or ${ndjsonType}`),
  ...readText(maxBytes).map(
    (handler): RequestHandler =>
      (request, response, next) =>
        isNdjson(request) ? next() : handler(request, response, next),
  ),
];

/** Whether the request has a body of newline-delimited JSON. */
export const isNdjson = (request: Request): boolean => Boolean(request.is(ndjsonType));

/** Parses the text of a JSON body; undefined if it is empty. Throws a 400 if it is not JSON or nested too deeply. */
export function parseJsonBody(text: string): unknown {
  if (text === '') return undefined;
  const body = parseJson(text);
  if (isDeeperThan(body, maxDepth)) throw new ApiError(400, 'The request body is nested too deeply.');
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
const readText = (maxBytes: number): RequestHandler[] => [
  express.raw({ limit: maxBytes, type: anyType }),
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
