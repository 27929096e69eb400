import { commonHeaders } from './compose-callback.js';
import { encodeQueryValue, renderUri } from './template.js';

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
  verificationId: string;
  /** The time of the attempt. */
  startedAt: Date;
  attemptNumber: number;
  version: string;
};

/**
 * Builds one request of a verification (docs/reference/callbacks.md#verification). It adds the query parameter
 * `token`, carries the code and the challenge in the body, and is signed like a callback. Placeholders in the uri are
 * replaced by empty text.
 */
export function composeVerificationRequest(input: VerificationRequestInput): {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
} {
  const uri = renderUri(input.uri, {}).value;
  const separator = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?';
  const url = `${uri}${separator}token=${encodeQueryValue(input.verificationCode)}`;
  const body = Buffer.from(
    JSON.stringify({ validation_key: input.verificationCode, challenge: input.challenge }),
    'utf8',
  );
  const headers = commonHeaders({ ...input, signedId: input.verificationId, signedAt: input.startedAt, body });
  return { url, headers: { ...headers, 'X-Ringback-Attempt': String(input.attemptNumber) }, body };
}
