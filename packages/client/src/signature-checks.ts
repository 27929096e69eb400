// What `verify` checks, without any cryptography, so that the version for Node and the one for Web Crypto agree.

/** Headers as an object, whatever the case of their names, or a `Headers` object of fetch. */
export type CallbackHeaders = NodeHeaders | { get(name: string): string | null };
type NodeHeaders = Record<string, string | string[] | undefined>;

/** What to do about a body that is not raw. A signature covers the bytes as they were sent. */
const rawBodyAdvice =
  "verify: body must be the raw body (text or bytes), not a parsed one; in Express, use express.raw({type: 'application/json'})";

/**
 * The checks to perform. At least one of `webhookId`, `bearer` and `signingSecret` is required. Leave out an option
 * that is not to be checked: undefined is refused, because it may be a variable that is not set.
 */
export type VerifyOptions = {
  /** Checks `Signature`, whose key is the webhook's id. An id is not secret, so check `bearer` as well. */
  webhookId?: string | string[];
  /** Checks `Authorization` against the webhook's secret or, if it has none, the account's callback token. */
  bearer?: string | string[];
  /** Checks the Standard Webhooks headers against a key, `whsec_…`, or against several keys during a rotation. */
  signingSecret?: string | string[];
  /** The maximum difference between `webhook-timestamp` and now; 300 when absent. */
  toleranceSeconds?: number | undefined;
};

export type ReceivedCallback = {
  /** The raw body, before it is parsed. */
  body: Uint8Array | string;
  headers: CallbackHeaders;
};

export type Verified = { ok: true } | { ok: false; reason: string };

/** An HMAC-SHA256 to compute, and how it is written as text: the prefix, then the MAC in the encoding. */
type Mac = { key: Uint8Array; message: Uint8Array; encoding: 'hex' | 'base64'; prefix: string };

/** A value that a header may have, as text or as the HMAC to compute. */
export type Expected = string | Mac;

/** The values of a header, one of which must equal an expected value; or the reason why the callback is refused. */
export type Check<T = Expected> = { header: string; actual: string[]; expected: T[] } | { reason: string };

const encode = (text: string) => new TextEncoder().encode(text);

/**
 * Lists the checks of a callback in the order in which they are evaluated. Throws a TypeError if the options have no
 * check, a value that is not a text, an empty string or list, or a malformed signing secret, and if the body is not
 * raw.
 */
export function listChecks({ body, headers }: ReceivedCallback, options: VerifyOptions, now: Date): Check[] {
  const ids = listOf('webhookId', options);
  const bearers = listOf('bearer', options);
  const keys = listOf('signingSecret', options)?.map(keyOf);
  if (!ids && !bearers && !keys) throw new TypeError('verify: give webhookId, bearer or signingSecret');
  const message = toBytes(body);
  const macOf = (id: string): Mac => ({ key: encode(id), message, encoding: 'hex', prefix: '' });
  const toleranceSeconds = options.toleranceSeconds ?? 300;
  return [
    ...(bearers
      ? [
          checkOf(
            headers,
            'Authorization',
            bearers.map((bearer) => `Bearer ${bearer}`),
          ),
        ]
      : []),
    ...(ids ? [checkOf(headers, 'Signature', ids.map(macOf))] : []),
    ...(keys ? [standardWebhooksCheck({ message, headers, keys, toleranceSeconds, now })] : []),
  ];
}

/** The bytes of a raw body, as text, in a typed array (also of another realm) or in an ArrayBuffer. */
function toBytes(body: unknown): Uint8Array {
  if (typeof body === 'string') return encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body as ArrayBuffer);
  throw new TypeError(rawBodyAdvice);
}

/** Evaluates the checks until one fails. `textOf` returns an expected value as text. Compares in constant time. */
export function evaluateChecks<T>(checks: Check<T>[], textOf: (expected: T) => string): Verified {
  for (const check of checks) {
    if ('reason' in check) return { ok: false, reason: check.reason };
    const expected = check.expected.map(textOf);
    const isExpected = check.actual.map((text) => isAnyOf(expected, text)).includes(true);
    if (!isExpected) return { ok: false, reason: `the ${check.header} header is wrong` };
  }
  return { ok: true };
}

function checkOf(headers: CallbackHeaders, header: string, expected: Expected[]): Check {
  const actual = headerOf(headers, header);
  return actual === undefined ? missing(header) : { header, actual: [actual], expected };
}

type StandardWebhooksInput = {
  message: Uint8Array;
  headers: CallbackHeaders;
  keys: Uint8Array[];
  toleranceSeconds: number;
  now: Date;
};

/** The check of the Standard Webhooks signature, which covers the id, the timestamp and the body. */
function standardWebhooksCheck(input: StandardWebhooksInput): Check {
  const { message, headers, keys, toleranceSeconds, now } = input;
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  if (id === undefined) return missing('webhook-id');
  if (timestamp === undefined) return missing('webhook-timestamp');
  if (signatures === undefined) return missing('webhook-signature');
  if (!/^\d{1,12}$/.test(timestamp)) return { reason: 'the webhook-timestamp header is not a Unix timestamp' };
  const aheadSeconds = Number(timestamp) - now.getTime() / 1000;
  if (!(aheadSeconds >= -toleranceSeconds)) return { reason: 'the webhook-timestamp header is too old' };
  if (!(aheadSeconds <= toleranceSeconds)) return { reason: 'the webhook-timestamp header is in the future' };
  const signed = concatenate(encode(`${id}.${timestamp}.`), message);
  const expected = keys.map((key): Mac => ({ key, message: signed, encoding: 'base64', prefix: 'v1,' }));
  return { header: 'webhook-signature', actual: signatures.split(' '), expected };
}

const missing = (header: string) => ({ reason: `the ${header} header is missing` });

function concatenate(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(head.length + tail.length);
  bytes.set(head);
  bytes.set(tail, head.length);
  return bytes;
}

type CheckName = 'webhookId' | 'bearer' | 'signingSecret';

/**
 * Returns the values of an option; undefined when the option was left out. Throws for an empty list, and for a value
 * that is empty or not a text, as unset variables are: with such values any callback could pass the check.
 */
function listOf(name: CheckName, options: VerifyOptions): string[] | undefined {
  if (!(name in options)) return undefined;
  const list: unknown[] = [options[name]].flat();
  if (list.length === 0 || list.includes('')) throw new TypeError(`verify: ${name} is empty`);
  if (!list.every(isText)) throw new TypeError(`verify: ${name} is undefined or not a text`);
  return list;
}

const isText = (value: unknown): value is string => typeof value === 'string';

function keyOf(secret: string): Uint8Array {
  try {
    const bytes = atob(secret.replace(/^whsec_/, ''));
    if (bytes !== '') return Uint8Array.from(bytes, (byte) => byte.charCodeAt(0));
  } catch {
    // It is not base64.
  }
  throw new TypeError('verify: signingSecret is not whsec_ and base64');
}

function headerOf(headers: CallbackHeaders, name: string): string | undefined {
  if (isFetchHeaders(headers)) return headers.get(name) || undefined;
  const values = Object.entries(headers).filter(([key]) => key.toLowerCase() === name.toLowerCase());
  return values.flatMap(([, value]) => value).find((value) => value) || undefined;
}

const isFetchHeaders = (headers: CallbackHeaders): headers is { get(name: string): string | null } =>
  typeof headers.get === 'function';

const isAnyOf = (expected: string[], actual: string) => expected.map((text) => isEqual(text, actual)).includes(true);

/** Compares two texts of the same length in constant time. */
function isEqual(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let index = 0; index < left.length; index++) difference |= left.charCodeAt(index) ^ right.charCodeAt(index);
  return difference === 0;
}
