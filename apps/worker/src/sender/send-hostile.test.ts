import { parseAllowList } from '@ringback/rules';
import { type Fault, faults, startReceiver, type Receiver, type ReceiverSettings } from '@ringback/receiver';
import { failuresOf } from '@ringback/rules/fixture';
import { endsBefore } from '@ringback/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { AgentSettings } from './connections.js';
import type { Dial } from './dial.js';
import { Sender, type SendResult } from './send.js';
import { plainRequest } from './send-egress.fixture.js';

const closers: (() => unknown)[] = [];
afterEach(() => Promise.all(closers.splice(0).map((close) => close())));

async function open(
  { timeoutMs = 20_000, ...settings }: ReceiverSettings & { timeoutMs?: number } = {},
  senderSettings: Partial<AgentSettings> = {},
): Promise<{
  receiver: Receiver;
  sender: Sender;
  call: () => Promise<SendResult>;
}> {
  const receiver = await startReceiver(settings);
  const sender = new Sender({ timeoutMs, allow: parseAllowList('127.0.0.0/8'), ...senderSettings });
  closers.push(
    () => receiver.close(),
    () => sender.close(),
  );
  return { receiver, sender, call: () => sender.send({ ...plainRequest, url: `${receiver.origin}/` }) };
}

const response = (status: number) => ({ type: 'response', status });
const timeout = { type: 'timeout', code: 'RESPONSE_TIMEOUT' };
const reset = { type: 'reset', code: 'ECONNRESET' };
const protocol = (code: string) => ({ type: 'protocol', code });

const expected: Record<Fault, object> = {
  hang: timeout,
  'hang-body': response(200),
  endless: response(200),
  drip: timeout,
  'drip-headers': timeout,
  'drip-body': response(200),
  'early-hints': response(200),
  reset,
  'half-close': reset,
  garbage: protocol('HPE_INVALID_CONSTANT'),
  switching: response(101),
  continue: protocol('TOO_MANY_INTERIM_RESPONSES'),
  redirect: response(302),
  headers: response(200),
  'many-headers': response(200),
  'long-header': response(200),
  'cut-headers': reset,
  'cut-body': response(200),
  'status-99': protocol('HPE_INVALID_STATUS'),
  'status-999': response(999),
  'two-lengths': protocol('HPE_INVALID_TRANSFER_ENCODING'),
  'body-after-204': response(204),
  'bad-chunk': response(200),
  'gzip-bomb': response(200),
  nul: response(200),
};

/** Faults that last until the deadline of the request. All others end long before it, even on a busy machine. */
const lastingFaults: Fault[] = ['hang', 'hang-body', 'drip', 'drip-headers', 'drip-body'];
const endingFaults = faults.filter((fault) => !lastingFaults.includes(fault));

async function settle(call: () => Promise<SendResult>, withinMs: number): Promise<SendResult> {
  const sent = await endsBefore(withinMs, call);
  expect(sent.responseBody?.length ?? 0).toBeLessThanOrEqual(1024);
  return sent;
}

/** The first call of a connection meets the fault, and the next call works. */
async function expectSettledAtFirst(fault: Fault, timeoutMs: number): Promise<void> {
  const { receiver, call } = await open({ answer: fault, timeoutMs });
  expect((await settle(call, timeoutMs * 1.9)).outcome).toEqual(expected[fault]);
  expect(receiver.calls).toHaveLength(1);
  receiver.answerWith({ status: 200 });
  expect((await settle(call, timeoutMs * 1.9)).outcome).toEqual(response(200));
}

/** The second call of a connection meets the fault, and the next call works. */
async function expectSettledOnReuse(fault: Fault, timeoutMs: number): Promise<void> {
  const { receiver, call } = await open({ timeoutMs });
  expect((await settle(call, timeoutMs * 1.9)).outcome).toEqual(response(200));
  receiver.answerWith(fault);
  expect((await settle(call, timeoutMs * 1.9)).outcome).toEqual(expected[fault]);
  expect(receiver.calls).toHaveLength(2);
  receiver.answerWith({ status: 200 });
  expect((await settle(call, timeoutMs * 1.9)).outcome).toEqual(response(200));
}

describe('a receiver that breaks HTTP', () => {
  const timeoutMs = 20_000;
  test('on a new connection is settled before the timeout, and the next call works', async () => {
    expect(await failuresOf(endingFaults, (fault) => expectSettledAtFirst(fault, timeoutMs))).toEqual([]);
  });
  test('on a reused connection is settled before the timeout, and the next call works', async () => {
    expect(await failuresOf(endingFaults, (fault) => expectSettledOnReuse(fault, timeoutMs))).toEqual([]);
  });
});

// Concurrently, because they only wait for the timeout.
describe('a receiver that never ends its response', () => {
  const timeoutMs = 2_000;
  test('on a new connection is settled at the timeout, and the next call works', async () => {
    const failures = lastingFaults.map((fault) => failuresOf([fault], () => expectSettledAtFirst(fault, timeoutMs)));
    expect((await Promise.all(failures)).flat()).toEqual([]);
  });
  test('on a reused connection is settled at the timeout, and the next call works', async () => {
    const failures = lastingFaults.map((fault) => failuresOf([fault], () => expectSettledOnReuse(fault, timeoutMs)));
    expect((await Promise.all(failures)).flat()).toEqual([]);
  });
});

test('a status that arrives before the request body was sent counts', async () => {
  const { receiver, sender } = await open({ answersBeforeBody: true, answer: { status: 413, body: 'too large' } });
  const request = { ...plainRequest, url: `${receiver.origin}/`, body: Buffer.alloc(4 * 1024 * 1024, 'x') };
  const { outcome, responseBody } = await sender.send(request);
  expect(outcome).toEqual(response(413));
  expect(responseBody).toBe('too large');
});

test('a status that has arrived counts when this machine then runs out of memory for the connection', async () => {
  const error = Object.assign(new Error('no buffer space available'), { code: 'ENOBUFS' });
  const dial: Dial = (_address, connect) => {
    const socket = connect();
    return socket.once('data', () => setImmediate(() => socket.destroy(error)));
  };
  const { call } = await open({ answer: 'hang-body' }, { dial });
  expect((await call()).outcome).toEqual(response(200));
});

test('NUL and broken UTF-8 in a response become the replacement character', async () => {
  const { call } = await open({ answer: 'nul' });
  expect((await call()).responseBody).toMatch(/^a\ufffdb\ufffd+$/);
});

test('a large compressed response is stored compressed', async () => {
  const { call } = await open({ answer: 'gzip-bomb' });
  expect((await call()).responseBody?.startsWith('\x1f')).toBe(true);
});

test('one or two interim responses before the status are ignored', async () => {
  const { call } = await open({ answer: 'early-hints' });
  expect((await call()).outcome).toEqual(response(200));
});

test('300 endless bodies and zip bombs leave under 150 MiB of memory in use', async () => {
  const { call } = await open({ answer: (_call, index) => (index % 2 ? 'endless' : 'gzip-bomb') });
  await call();
  const before = process.memoryUsage.rss();
  for (let round = 0; round < 15; round++) await Promise.all(Array.from({ length: 20 }, call));
  expect(process.memoryUsage.rss() - before).toBeLessThan(150 * 1024 * 1024);
});
