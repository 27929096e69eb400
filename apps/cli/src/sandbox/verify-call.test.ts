import { expect, test } from '@jest/globals';
import { sign } from '@ringback/rules';
import type { ReceivedCall } from '@ringback/receiver';
import { CallVerifier, type Candidates } from './verify-call.js';

const body = Buffer.from('{"id":"1"}');

/** A callback of a webhook, as a worker sends it. */
const callOf = (webhookId: string, token: string): ReceivedCall => ({
  at: 0,
  method: 'POST',
  path: '/',
  body,
  headers: { authorization: `Bearer ${token}`, signature: sign(body, webhookId) },
});
const okFindings = (id: string) => ['bearer    ok', `signature ok, of webhook ${id}`];

function createTestVerifier(candidates: Candidates) {
  const api = { requestCount: 0, candidates };
  const clock = { monotonicMs: 0 };
  const findCandidates = () => {
    api.requestCount++;
    return Promise.resolve(api.candidates);
  };
  const verifier = new CallVerifier(findCandidates, () => clock.monotonicMs);
  return { api, clock, verify: (call: ReceivedCall) => verifier.verify(call) };
}

test('a thousand callbacks of a known webhook cost one request to the API', async () => {
  const { api, verify } = createTestVerifier({ webhookIds: ['w1'], tokens: ['t1'] });
  await Promise.all(Array.from({ length: 500 }, () => verify(callOf('w1', 't1'))));
  for (let calls = 0; calls < 500; calls++) expect(await verify(callOf('w1', 't1'))).toEqual(okFindings('w1'));
  expect(api.requestCount).toBe(1);
});

test('a call that cannot be verified refreshes the candidates, at most once a second, and is verified with the new ones', async () => {
  const { api, clock, verify } = createTestVerifier({ webhookIds: ['w1'], tokens: ['t1'] });
  await verify(callOf('w1', 't1'));
  api.candidates = { webhookIds: ['w1', 'w2'], tokens: ['t1', 't2'] };
  clock.monotonicMs = 1_000;
  expect(await verify(callOf('w2', 't2'))).toEqual(okFindings('w2'));
  expect(api.requestCount).toBe(2);
  for (let calls = 0; calls < 100; calls++) expect((await verify(callOf('w3', 't3')))[0]).toContain('WRONG');
  expect(api.requestCount).toBe(2);
  clock.monotonicMs = 2_000;
  await verify(callOf('w3', 't3'));
  expect(api.requestCount).toBe(3);
});
