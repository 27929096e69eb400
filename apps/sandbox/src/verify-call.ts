import { timingSafeEqual } from 'node:crypto';
import { sign } from '@ringback/callbacks';
import type { ReceivedCall } from '@ringback/receiver';
import { readData, readRunning, requireRingback } from '@ringback/runtime';

/** What a call may have been signed with and authorised by. */
export type Candidates = { webhookIds: string[]; tokens: string[] };

/** What is to be said of a call's Bearer and Signature, a line each. */
export function verifyCall({ headers, body }: ReceivedCall, { webhookIds, tokens }: Candidates): string[] {
  const { authorization = '', signature } = headers;
  const bearer = tokens.some((token) => isEqual(authorization, `Bearer ${token}`));
  const signer = webhookIds.find((id) => typeof signature === 'string' && isEqual(signature, sign(body, id)));
  return [
    `bearer    ${bearer ? 'ok' : tokens.length === 0 ? 'not checked (--token)' : 'WRONG'}`,
    `signature ${describeSignature(signature, signer, webhookIds)}`,
  ];
}

function describeSignature(
  signature: string | string[] | undefined,
  signer: string | undefined,
  ids: string[],
): string {
  if (signature === undefined) return 'absent';
  if (signer !== undefined) return `ok, of webhook ${signer}`;
  return ids.length === 0 ? 'not checked (--webhook)' : 'WRONG';
}

function isEqual(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const nothing: Candidates = { webhookIds: [], tokens: [] };

/** The webhooks and tokens of the demo account of the `npm start` that runs in this folder; empty when there is none. */
export async function candidatesFromDemo(): Promise<Candidates> {
  const root = new URL('../../../', import.meta.url);
  const demo = readData(root, 'demo.json');
  const baseUrl = readRunning(root)?.baseUrl;
  if (!demo?.access_token || !baseUrl) return nothing;
  const headers = { authorization: `Bearer ${demo.access_token}` };
  // Its token goes to nobody else who listens there, and to no other place.
  const response = await requireRingback(baseUrl)
    .then(() => fetch(`${baseUrl}/developer/webhooks?per_page=100`, { headers, redirect: 'manual' }))
    .catch(() => undefined);
  const page: unknown = await response?.json().catch(() => undefined);
  const webhooks = isRecord(page) && Array.isArray(page.data) ? page.data.filter(isRecord) : [];
  const texts = (field: string) =>
    webhooks.map((webhook) => webhook[field]).filter((value) => typeof value === 'string');
  return {
    webhookIds: texts('id'),
    tokens: [...texts('secret'), ...(demo.callback_token ? [demo.callback_token] : [])],
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

type Remembering = { ask(): Promise<Candidates>; now?: () => number };

const askAgainMs = 1_000;

/**
 * Verifies calls with what the API said of the webhooks when it was asked last. It is asked again for a call that these
 * do not verify, at most once a second, so that a thousand callbacks are one request to it.
 */
export function createVerifier({ ask, now = () => performance.now() }: Remembering) {
  let askedAt = -Infinity;
  let known: Promise<Candidates> = Promise.resolve(nothing);
  const refresh = () => {
    askedAt = now();
    known = ask();
  };
  return async (call: ReceivedCall): Promise<string[]> => {
    if (askedAt === -Infinity) refresh();
    const findings = verifyCall(call, await known);
    if (findings.every((finding) => / ok/.test(finding)) || now() - askedAt < askAgainMs) return findings;
    refresh();
    return verifyCall(call, await known);
  };
}
