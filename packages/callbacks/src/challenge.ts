import { headersOf } from './compose.js';
import { encodeQueryValue, renderUri } from './template.js';

export type ChallengeInput = {
  uri: string;
  /** The token given when the webhook was created. */
  token: string;
  /** Random, for this attempt only. */
  challenge: string;
  webhookId: string;
  signing: boolean;
  signingSecrets: string[];
  bearer: string;
  /** Of this run of the challenge. */
  verificationId: string;
  /** When the attempt is made. */
  at: Date;
  attempt: number;
  version: string;
};

/**
 * The request of a verification challenge (behaviour: verification): the token as a further query parameter, token and
 * challenge in the body, signed like any callback. Placeholders in the uri render empty.
 */
export function composeChallenge(input: ChallengeInput): {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
} {
  const uri = renderUri(input.uri, {}).value;
  const joint = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?';
  const url = `${uri}${joint}token=${encodeQueryValue(input.token)}`;
  const body = Buffer.from(JSON.stringify({ validation_key: input.token, challenge: input.challenge }), 'utf8');
  const headers = headersOf({ ...input, messageId: input.verificationId, body });
  return { url, headers: { ...headers, 'X-Ringback-Attempt': String(input.attempt) }, body };
}

/** Whether an answer passes: 200 with a JSON body whose `challenge` is the same, or the bare challenge as text. */
export function challengePassed(status: number, bodyText: string, challenge: string): boolean {
  if (status !== 200) return false;
  const answer = bodyText.trim();
  return answer === challenge || challengeIn(answer) === challenge;
}

function challengeIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, 'challenge'))
      return Reflect.get(value, 'challenge');
    return value;
  } catch {
    return undefined;
  }
}
