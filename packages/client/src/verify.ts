import { createHmac, timingSafeEqual } from 'node:crypto';

/** Headers as Node provides them (with lower-case names), or a `Headers` object of fetch. */
export type CallbackHeaders = NodeHeaders | { get(name: string): string | null };
type NodeHeaders = Record<string, string | string[] | undefined>;

/** The checks to perform. At least one of `webhookId`, `bearer` and `signingSecret` is required. */
export type VerifyOptions = {
  /** Checks `Signature` against the ids of your webhooks. An id is not secret, so check `bearer` as well. */
  webhookId?: string | string[] | undefined;
  /** Checks `Authorization` against the webhook's secret or, if it has none, the account's callback token. */
  bearer?: string | string[] | undefined;
  /** Checks the Standard Webhooks headers against a key, `whsec_…`, or against several keys during a rotation. */
  signingSecret?: string | string[] | undefined;
  /** The maximum difference between `webhook-timestamp` and now; 300 when absent. */
  toleranceSeconds?: number | undefined;
};

export type ReceivedCallback = {
  /** The raw body, before it is parsed. */
  body: Uint8Array | string;
  headers: CallbackHeaders;
};

export type Verified = { ok: true } | { ok: false; reason: string };

const fail = (reason: string): Verified => ({ ok: false, reason });

/**
 * Verifies that a callback is from Ringback: it must pass every check in the options. Values are compared in constant
 * time. Throws a TypeError if the options have no check, an empty text or a malformed signing secret.
 */
export function verify({ body, headers }: ReceivedCallback, options: VerifyOptions, now = new Date()): Verified {
  const ids = listOf('webhookId', options.webhookId);
  const bearers = listOf('bearer', options.bearer);
  const keys = listOf('signingSecret', options.signingSecret)?.map(keyOf);
  if (!ids && !bearers && !keys) throw new TypeError('verify: give webhookId, bearer or signingSecret');
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const authorization = bearers?.map((bearer) => `Bearer ${bearer}`);
  const signature = ids?.map((id) => createHmac('sha256', id).update(bytes).digest('hex'));
  const tolerance = options.toleranceSeconds ?? 300;
  return (
    (authorization && compare(headers, 'Authorization', authorization)) ??
    (signature && compare(headers, 'Signature', signature)) ??
    (keys && checkStandardWebhooks({ bytes, headers, keys, tolerance, now })) ?? { ok: true }
  );
}

/** Checks that a header has one of the expected values. Returns undefined if it has, otherwise the failure. */
function compare(headers: CallbackHeaders, name: string, expected: string[]): Verified | undefined {
  const actual = headerOf(headers, name);
  if (actual === undefined) return fail(`the ${name} header is missing`);
  return isAnyOf(expected, actual) ? undefined : fail(`the ${name} header is wrong`);
}

type StandardWebhooksInput = {
  bytes: Uint8Array;
  headers: CallbackHeaders;
  keys: Buffer[];
  tolerance: number;
  now: Date;
};

/**
 * Checks the Standard Webhooks signature of id, timestamp and body. Returns undefined if it is right, otherwise the
 * failure.
 */
function checkStandardWebhooks(input: StandardWebhooksInput): Verified | undefined {
  const { bytes, headers, keys, tolerance, now } = input;
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  if (id === undefined) return fail('the webhook-id header is missing');
  if (timestamp === undefined) return fail('the webhook-timestamp header is missing');
  if (signatures === undefined) return fail('the webhook-signature header is missing');
  if (!/^\d{1,12}$/.test(timestamp)) return fail('the webhook-timestamp header is not a Unix timestamp');
  const aheadSeconds = Number(timestamp) - now.getTime() / 1000;
  if (!(aheadSeconds >= -tolerance)) return fail('the webhook-timestamp header is too old');
  if (!(aheadSeconds <= tolerance)) return fail('the webhook-timestamp header is in the future');
  const head = `${id}.${timestamp}.`;
  const expected = keys.map((key) => `v1,${createHmac('sha256', key).update(head).update(bytes).digest('base64')}`);
  const isSigned = signatures.split(' ').some((signature) => isAnyOf(expected, signature));
  return isSigned ? undefined : fail('the webhook-signature header is wrong');
}

/**
 * Returns the values of an option. Throws for an empty text, such as that of an unset variable: anyone could pass the
 * check.
 */
function listOf(name: string, option: string | string[] | undefined): string[] | undefined {
  if (option === undefined) return undefined;
  const list = [option].flat();
  if (list.length === 0 || list.includes('')) throw new TypeError(`verify: ${name} is empty`);
  return list;
}

function keyOf(secret: string): Buffer {
  const text = secret.replace(/^whsec_/, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw new TypeError('verify: signingSecret is not whsec_ and base64');
  return Buffer.from(text, 'base64');
}

function headerOf(headers: CallbackHeaders, name: string): string | undefined {
  const value = isFetchHeaders(headers) ? headers.get(name) : headers[name.toLowerCase()];
  return [value].flat()[0] || undefined;
}

const isFetchHeaders = (headers: CallbackHeaders): headers is { get(name: string): string | null } =>
  typeof headers.get === 'function';

function isAnyOf(expected: string[], actual: string): boolean {
  const bytes = Buffer.from(actual);
  return expected.map((text) => isEqual(Buffer.from(text), bytes)).includes(true);
}

const isEqual = (left: Buffer, right: Buffer) => left.length === right.length && timingSafeEqual(left, right);
