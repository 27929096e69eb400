import express, { type RequestHandler } from 'express';
import { isTooDeep } from '@ringback/callbacks';
import { ApiError } from './api-error.js';

const mostDepth = 100;
const any = () => true;

/** Reads a JSON body of at most `limit` bytes. 415 for another type when there is a body, 400 when it is not JSON. */
export function readJson(limit: number): RequestHandler[] {
  const checkDepth: RequestHandler = (request, _response, next) => {
    checkBodyDepth(request.body);
    next();
  };
  return [checkType, express.json({ limit, strict: false, type: any }), checkDepth];
}

/** Like `readJson`, but leaves the body as the text that came, for `parseBody`; without a body it is empty. */
export function readJsonText(limit: number): RequestHandler[] {
  const provideText: RequestHandler = (request, _response, next) => {
    request.body ??= '';
    next();
  };
  return [checkType, checkCharset, express.text({ limit, type: any }), provideText];
}

/** The value of a body's text; undefined for none. 400 when it is not JSON or nested too deeply. */
export function parseBody(text: string): unknown {
  if (text === '') return undefined;
  const body = parseJson(text);
  checkBodyDepth(body);
  return body;
}

const checkType: RequestHandler = (request, _response, next) => {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const hasBody = encoding !== undefined || (length !== undefined && length !== '0');
  const isJson = !hasBody || request.is(['application/json', 'application/*+json']);
  next(isJson ? undefined : new ApiError(415, 'The request body must be application/json.'));
};

/** Text may come in any charset, JSON only in those of Unicode. */
const checkCharset: RequestHandler = (request, _response, next) => {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(request.headers['content-type'] ?? '') ?? [];
  const isUnicode = charset.toLowerCase().startsWith('utf-');
  next(isUnicode ? undefined : new ApiError(415, 'The request body must be application/json in UTF-8.'));
};

function checkBodyDepth(body: unknown): void {
  if (isTooDeep(body, mostDepth)) throw new ApiError(400, 'The request body is nested too deeply.');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, 'The request body is not valid JSON.');
  }
}
