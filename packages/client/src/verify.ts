import { createHmac, timingSafeEqual } from 'node:crypto';

/** Headers as Node has them (lower-case names), or as fetch has them. */
export type CallbackHeaders = NodeHeaders | { get(name: string): string | null };
type NodeHeaders = Record<string, string | string[] | undefined>;

/** What a callback is held against; what is absent is not looked at, and one of the three has to be there. */
export type VerifyOptions = {
  /** The ids of the webhooks that may call: checks `Signature`. An id is no secret, so give a `bearer` too. */
  webhookId?: string | string[] | undefined;
  /** The webhook's secret, else the account's callback token: checks `Authorization`. */
  bearer?: string | string[] | undefined;
  /** `whsec_…`: checks the Standard Webhooks headers. Several while a secret is being changed. */
  signingSecret?: string | string[] | undefined;
  /** How far `webhook-timestamp` may be from now, both ways; 300 when absent. */
  toleranceSeconds?: number | undefined;
};

export type ReceivedCallback = {
  /** The body as it came, before anything parsed it. */
  body: Uint8Array | string;
  headers: CallbackHeaders;
};

export type Verified = { ok: true } | { ok: false; reason: string };

const wrong = (reason: string): Verified => ({ ok: false, reason });

/**
 * Whether a callback is from Ringback: every check that the options ask for has to pass. Texts are compared in constant
 * time. Throws a TypeError when no check is asked for, or one with an empty text or a secret that is none.
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
    (keys && findStandardFault({ bytes, headers, keys, tolerance, now })) ?? { ok: true }
  );
}

/** What is wrong with a header that has to be one of the texts; undefined when nothing is. */
function compare(headers: CallbackHeaders, name: string, wanted: string[]): Verified | undefined {
  const given = headerOf(headers, name);
  if (given === undefined) return wrong(`the ${name} header is missing`);
  return isAnyOf(wanted, given) ? undefined : wrong(`the ${name} header is wrong`);
}

type Standard = { bytes: Uint8Array; headers: CallbackHeaders; keys: Buffer[]; tolerance: number; now: Date };

/** What is wrong with the Standard Webhooks headers: `v1,<base64>` is made over id, timestamp and body. */
function findStandardFault({ bytes, headers, keys, tolerance, now }: Standard): Verified | undefined {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  if (id === undefined) return wrong('the webhook-id header is missing');
  if (timestamp === undefined) return wrong('the webhook-timestamp header is missing');
  if (signatures === undefined) return wrong('the webhook-signature header is missing');
  if (!/^\d{1,12}$/.test(timestamp)) return wrong('the webhook-timestamp header is not a Unix timestamp');
  const aheadSeconds = Number(timestamp) - now.getTime() / 1000;
  if (!(aheadSeconds >= -tolerance)) return wrong('the webhook-timestamp header is too old');
  if (!(aheadSeconds <= tolerance)) return wrong('the webhook-timestamp header is in the future');
  const head = `${id}.${timestamp}.`;
  const wanted = keys.map((key) => `v1,${createHmac('sha256', key).update(head).update(bytes).digest('base64')}`);
  const isSigned = signatures.split(' ').some((given) => isAnyOf(wanted, given));
  return isSigned ? undefined : wrong('the webhook-signature header is wrong');
}

/** An empty text, as of a variable that is not set, would be a check that anybody passes. */
function listOf(name: string, given: string | string[] | undefined): string[] | undefined {
  if (given === undefined) return undefined;
  const list = [given].flat();
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

function isAnyOf(wanted: string[], given: string): boolean {
  const bytes = Buffer.from(given);
  return wanted.map((text) => isEqual(Buffer.from(text), bytes)).includes(true);
}

const isEqual = (left: Buffer, right: Buffer) => left.length === right.length && timingSafeEqual(left, right);
