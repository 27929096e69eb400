import type { VerifyOptions } from './signature-checks.js';
import { verify } from './verify.js';

// The parts of Express that are used; any version works.
type Request = { body?: unknown; rawBody?: unknown; headers: Record<string, string | string[] | undefined> };
type Response = { status(code: number): { json(body: object): unknown } };
type Next = (error?: unknown) => void;

const parser = "express.raw({ type: 'application/json', limit: '20mb' })";
const wrongParser =
  `verifyCallback needs the raw body, a Buffer: put ${parser} before it on this route and no express.json(), ` +
  "or set request.rawBody in express.json()'s `verify` option";
const noRawBody = `there is no raw body: the request has none of the type application/json, or lacks ${parser}`;

/**
 * Creates Express middleware that verifies callbacks and sets `request.body` to the parsed JSON. It responds with 401
 * to a callback that has no raw body or fails the verification, and with 400 to a body that is not JSON. If another
 * parser has read the body, it passes an Error to `next`. Throws a TypeError for invalid options, as `verify` does.
 */
export function verifyCallback(options: VerifyOptions) {
  // Invalid options throw when the receiver starts, not at the first callback.
  verify({ body: '', headers: {} }, options);
  return (request: Request, response: Response, next: Next): void => {
    const body = rawBodyOf(request);
    if (body === undefined && wasParsed(request)) return next(new Error(wrongParser));
    if (body === undefined) return void response.status(401).json({ message: noRawBody });
    const verified = verify({ body, headers: request.headers }, options);
    if (!verified.ok) return void response.status(401).json({ message: verified.reason });
    const parsed = parse(body);
    if (!parsed) return void response.status(400).json({ message: 'the body is not JSON' });
    request.body = parsed.value;
    next();
  };
}

function rawBodyOf({ body, rawBody }: Request): Uint8Array | undefined {
  return [rawBody, body].find((bytes) => bytes instanceof Uint8Array);
}

/**
 * Whether another parser has read the body. A parser that does not read the body sets `request.body` to undefined, in
 * Express 4 to an empty object.
 */
const wasParsed = ({ body }: Request): boolean =>
  typeof body === 'object' ? Object.keys(body ?? {}).length > 0 : body !== undefined;

function parse(body: Uint8Array): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder().decode(body)) };
  } catch {
    return undefined;
  }
}
