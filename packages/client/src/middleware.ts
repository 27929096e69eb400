import type { VerifyOptions } from './verification.js';
import { verify } from './verify.js';

// Only the parts of Express that are used, so that the package works with any version of Express.
type Request = { body?: unknown; rawBody?: unknown; headers: Record<string, string | string[] | undefined> };
type Response = { status(code: number): { json(body: object): unknown } };
type Next = (error?: unknown) => void;

const rawBodyMissing =
  "verifyCallback needs the raw body, a Buffer: put express.raw({ type: 'application/json', limit: '1mb' }) before it on " +
  'this route and no express.json(), or keep the bytes as request.rawBody in the `verify` option of express.json()';

/**
 * Creates Express middleware that verifies callbacks and sets `request.body` to the parsed JSON. It responds with 401
 * to a callback that fails the verification, and with 400 to a body that is not JSON. If the raw body is missing, it
 * passes an Error to `next`. Throws a TypeError for invalid options, like `verify`.
 */
export function verifyCallback(options: VerifyOptions) {
  // Invalid options throw when the receiver starts, not at the first callback.
  verify({ body: '', headers: {} }, options);
  return (request: Request, response: Response, next: Next): void => {
    const body = rawBodyOf(request);
    if (body === undefined) return next(new Error(rawBodyMissing));
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

function parse(body: Uint8Array): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder().decode(body)) };
  } catch {
    return undefined;
  }
}
