import { timingSafeEqual } from 'node:crypto';
import { sign } from '@ringback/callbacks';
import { readDataFile, readRunningService, requireRingback } from '@ringback/command-line';
import type { ReceivedCall } from '@ringback/receiver';

/** The webhook ids and bearer tokens that a request may have. The id of a webhook is the key of its signatures. */
export type Candidates = { webhookIds: string[]; tokens: string[] };

/** Verifies the bearer token and the Signature of a request. Returns one line for each. */
export function verifyCall({ headers, body }: ReceivedCall, { webhookIds, tokens }: Candidates): string[] {
  const { authorization = '', signature } = headers;
  const isAuthorized = tokens.some((token) => isEqual(authorization, `Bearer ${token}`));
  const signer = webhookIds.find((id) => typeof signature === 'string' && isEqual(signature, sign(body, id)));
  return [
    `bearer    ${isAuthorized ? 'ok' : tokens.length === 0 ? 'not checked (--bearer)' : 'WRONG'}`,
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
  const a = Buffer.from(left);
  const b = Buffer.from(right);
  return a.length === b.length && timingSafeEqual(a, b);
}

const noCandidates: Candidates = { webhookIds: [], tokens: [] };

/** The webhook ids and tokens of the demo account of the `npm start` in this folder; none if it is not running. */
export async function findDemoCandidates(): Promise<Candidates> {
  const demo = readDataFile('demo.json');
  const baseUrl = readRunningService()?.baseUrl;
  if (!demo?.access_token || !baseUrl) return noCandidates;
  const headers = { authorization: `Bearer ${demo.access_token}` };
  // The access token must not be sent to another program on that port, nor to the target of a redirect.
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

type VerifierDeps = { findCandidates(): Promise<Candidates>; now?: () => number };

const minRefreshIntervalMs = 1_000;

/**
 * Creates a function that verifies requests and caches the candidates. If a request cannot be verified, it finds the
 * candidates again, at most once a second, so that many callbacks cause only one request to the API.
 */
export function createVerifier({ findCandidates, now = () => performance.now() }: VerifierDeps) {
  let refreshedAt = -Infinity;
  let candidates: Promise<Candidates> = Promise.resolve(noCandidates);
  const refresh = () => {
    refreshedAt = now();
    candidates = findCandidates();
  };
  return async (call: ReceivedCall): Promise<string[]> => {
    if (refreshedAt === -Infinity) refresh();
    const findings = verifyCall(call, await candidates);
    if (findings.every((finding) => / ok/.test(finding)) || now() - refreshedAt < minRefreshIntervalMs) return findings;
    refresh();
    return verifyCall(call, await candidates);
  };
}
