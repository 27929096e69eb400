import express, { type RequestHandler } from 'express';
import { isTooDeep } from '@ringback/callbacks';
import { ApiError } from './api-error.js';

const mostDepth = 100;

/** Reads a JSON body of at most `limit` bytes. 415 for another type when there is a body, 400 when it is not JSON. */
export function readJson(limit: number): RequestHandler[] {
  const checkType: RequestHandler = (request, _response, next) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    const hasBody = encoding !== undefined || (length !== undefined && length !== '0');
    if (hasBody && !request.is(['application/json', 'application/*+json'])) {
      return next(new ApiError(415, 'The request body must be application/json.'));
    }
    next();
  };
  const checkDepth: RequestHandler = (request, _response, next) => {
    next(isTooDeep(request.body, mostDepth) ? new ApiError(400, 'The request body is nested too deeply.') : undefined);
  };
  return [checkType, express.json({ limit, strict: false, type: () => true }), checkDepth];
}
