import { expect, test } from '@jest/globals';
import { sign } from '@ringback/callbacks';
import type { ReceivedCall } from '@ringback/receiver';
import { type Candidates, createVerifier } from './verify-call.js';

const body = Buffer.from('{"id":"1"}');

/** A call of a webhook, as a worker would make it. */
const callOf = (webhookId: string, token: string): ReceivedCall => ({
  ...{ at: 0, method: 'POST', path: '/', body },
  headers: { authorization: `Bearer ${token}`, signature: sign(body, webhookId) },
});
const ok = (id: string) => ['bearer    ok', `signature ok, of webhook ${id}`];

function open(known: Candidates) {
  const asked = { times: 0, known };
  const clock = { now: 0 };
  const ask = () => {
    asked.times++;
    return Promise.resolve(asked.known);
  };
  return { asked, clock, verify: createVerifier({ ask, now: () => clock.now }) };
}

test('a thousand callbacks of a known webhook ask the API once', async () => {
  const { asked, verify } = open({ webhookIds: ['w1'], tokens: ['t1'] });
  await Promise.all(Array.from({ length: 500 }, () => verify(callOf('w1', 't1'))));
  for (let calls = 0; calls < 500; calls++) expect(await verify(callOf('w1', 't1'))).toEqual(ok('w1'));
  expect(asked.times).toBe(1);
});

test('a call that does not verify asks again, at most once a second, and is verified with the answer', async () => {
  const { asked, clock, verify } = open({ webhookIds: ['w1'], tokens: ['t1'] });
  await verify(callOf('w1', 't1'));
  asked.known = { webhookIds: ['w1', 'w2'], tokens: ['t1', 't2'] };
  clock.now = 1_000;
  expect(await verify(callOf('w2', 't2'))).toEqual(ok('w2'));
  expect(asked.times).toBe(2);
  for (let calls = 0; calls < 100; calls++) expect((await verify(callOf('w3', 't3')))[0]).toContain('WRONG');
  expect(asked.times).toBe(2);
  clock.now = 2_000;
  await verify(callOf('w3', 't3'));
  expect(asked.times).toBe(3);
});
