import { verify, type VerifyOptions } from './verify.js';

// What is used of Express, so that a receiver's version of it is its own affair.
type Request = { body?: unknown; rawBody?: unknown; headers: Record<string, string | string[] | undefined> };
type Response = { status(code: number): { json(body: object): unknown } };
type Next = (error?: unknown) => void;

const missing =
  "verifyCallback needs the raw body, a Buffer: put express.raw({ type: 'application/json', limit: '1mb' }) before it on " +
  'this route and no express.json(), or keep the bytes as request.rawBody in the `verify` option of express.json()';

/**
 * Express middleware that lets genuine callbacks through, with the parsed JSON as `request.body`. It answers 401 to
 * others and 400 to a body that is not JSON, and passes an Error on when it does not get the raw body. Throws a
 * TypeError at once for options that `verify` refuses.
 */
export function verifyCallback(options: VerifyOptions) {
  // Wrong options are found when the receiver starts, and not with its first callback.
  verify({ body: '', headers: {} }, options);
  return (request: Request, response: Response, next: Next): void => {
    const body = rawBodyOf(request);
    if (body === undefined) return next(new Error(missing));
    const verified = verify({ body, headers: request.headers }, options);
    if (!verified.ok) return void response.status(401).json({ message: verified.reason });
    const read = parse(body);
    if (!read) return void response.status(400).json({ message: 'the body is not JSON' });
    request.body = read.value;
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
