import { commonHeaders } from './callback.js';
import { encodeUriValue, renderUri, withoutMask } from './callback-uri.js';
import type { Naming } from './naming.js';

export type VerificationRequestInput = {
  uri: string;
  /** The `token` given when the webhook was created. */
  verificationCode: string;
  /** Random text, new for each attempt. */
  challenge: string;
  webhookId: string;
  signing: boolean;
  signingSecrets: string[];
  bearer: string;
  userinfo?: string | null;
  verificationId: string;
  startedAt: Date;
  attemptNumber: number;
  naming: Naming;
};

/**
 * Builds one request of a verification (docs/reference/callbacks.md#verification). It adds the query parameter
 * `token`, carries the code and the challenge in the body, and is signed like a callback. Placeholders in the uri are
 * replaced by empty text.
 */
export function composeVerificationRequest(input: VerificationRequestInput): {
  url: string;
  shownUrl: string;
  headers: Record<string, string>;
  body: Buffer;
} {
  const uri = renderUri(input.uri, {}).value;
  const separator = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?';
  const shownUrl = `${uri}${separator}token=${encodeUriValue(input.verificationCode)}`;
  const body = Buffer.from(
    JSON.stringify({ validation_key: input.verificationCode, challenge: input.challenge }),
    'utf8',
  );
  const headers = commonHeaders({ ...input, signedId: input.verificationId, signedAt: input.startedAt, body });
  return {
    url: withoutMask(shownUrl),
    shownUrl,
    headers: { ...headers, [input.naming.headerNames.attempt]: String(input.attemptNumber) },
    body,
  };
}

/**
 * Whether a response passes the challenge: its status is 200, and its body is the challenge, as text or JSON, or a JSON
 * object that has it as `challenge`.
 */
export function passesChallenge(status: number, bodyText: string, challenge: string): boolean {
  if (status !== 200) return false;
  const text = bodyText.trim();
  return text === challenge || readChallenge(text) === challenge;
}

/** The member `challenge` of a JSON object that has one; otherwise the JSON value, or undefined if it is not JSON. */
function readChallenge(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, 'challenge'))
      return Reflect.get(value, 'challenge');
    return value;
  } catch {
    return undefined;
  }
}
