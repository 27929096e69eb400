import { timingSafeEqual } from 'node:crypto';
import { sign } from '@ringback/rules';
import { readDataFile, readRunningService, requireRingback } from '@ringback/process/command-line';
import type { ReceivedCall } from '@ringback/receiver';

/** The webhook ids and bearer tokens that a request may have. The id of a webhook is the key of its signatures. */
export type Candidates = { webhookIds: string[]; tokens: string[] };

/** Verifies the bearer token and the Signature of a request. Returns one line for each. */
function verifyCall({ headers, body }: ReceivedCall, { webhookIds, tokens }: Candidates): string[] {
  const { authorization = '', signature } = headers;
  const isAuthorized = tokens.some((token) => isEqual(authorization, `Bearer ${token}`));
  const signerId = webhookIds.find((id) => typeof signature === 'string' && isEqual(signature, sign(body, id)));
  return [
    `bearer    ${isAuthorized ? 'ok' : tokens.length === 0 ? 'not checked (--bearer)' : 'WRONG'}`,
    `signature ${describeSignature(signature, signerId, webhookIds)}`,
  ];
}

function describeSignature(
  signature: string | string[] | undefined,
  signerId: string | undefined,
  webhookIds: string[],
): string {
  if (signature === undefined) return 'absent';
  if (signerId !== undefined) return `ok, of webhook ${signerId}`;
  return webhookIds.length === 0 ? 'not checked (--webhook)' : 'WRONG';
}

function isEqual(left: string, right: string): boolean {
  const a = Buffer.from(left);
  const b = Buffer.from(right);
  return a.length === b.length && timingSafeEqual(a, b);
}

const noCandidates: Candidates = { webhookIds: [], tokens: [] };

/**
 * The ids and secrets of the first 100 webhooks of the demo account, and its callback token. None if no `npm start`
 * runs in this folder; only the callback token if the API does not respond.
 */
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

const minRefreshIntervalMs = 1_000;

/**
 * Verifies requests with cached candidates. When a request cannot be verified, it finds the candidates again, at most
 * once a second, so that many callbacks do not cause many requests to the API.
 */
export class CallVerifier {
  readonly #findCandidates: () => Promise<Candidates>;
  readonly #readMonotonicMs: () => number;
  #refreshedAtMonotonicMs = -Infinity;
  #candidates: Promise<Candidates> = Promise.resolve(noCandidates);

  constructor(findCandidates: () => Promise<Candidates>, readMonotonicMs = () => performance.now()) {
    this.#findCandidates = findCandidates;
    this.#readMonotonicMs = readMonotonicMs;
  }

  /** Returns one line for the bearer token and one for the Signature. */
  async verify(call: ReceivedCall): Promise<string[]> {
    if (this.#refreshedAtMonotonicMs === -Infinity) this.#refresh();
    const findings = verifyCall(call, await this.#candidates);
    if (findings.every((finding) => / ok/.test(finding))) return findings;
    if (this.#readMonotonicMs() - this.#refreshedAtMonotonicMs < minRefreshIntervalMs) return findings;
    this.#refresh();
    return verifyCall(call, await this.#candidates);
  }

  #refresh(): void {
    this.#refreshedAtMonotonicMs = this.#readMonotonicMs();
    this.#candidates = this.#findCandidates();
  }
}
