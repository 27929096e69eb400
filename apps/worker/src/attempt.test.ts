import { describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNaming, defaultNaming, defaultRetrySettings, noRetries } from '@ringback/rules';
import type { DeliveryTask } from '@ringback/ledger';
import { Attempter, type AttempterDeps, type AttemptSettings, type LeaseTimes } from './attempt.js';

const task = {
  id: 'd',
  eventId: 'e',
  webhookId: 'w',
  accountId: 'a',
  leasedAt: 'mine',
  attemptCount: 0,
  receivedAt: new Date(),
  state: 'pending',
  isActive: true,
  channel: 'sms',
  eventName: 'sms:message:status',
  payload: '{"id":"m"}',
  uri: 'http://receiver.test/',
  bodyTemplate: null,
  signing: true,
} as unknown as DeliveryTask;
const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
const secrets = { decrypt: () => ({ bearer: 'b', userinfo: null, signingSecrets: [], verificationCode: null }) };
const ignore = () => undefined;
const metrics = { callbackStarted: ignore, callbackEnded: ignore, observeAttempt: ignore };
const settings: AttemptSettings = {
  retries: defaultRetrySettings,
  requireVerification: false,
  isDeliveryOff: false,
  naming: createNaming(defaultNaming, '1'),
};
const response = (status: number) => ({
  ...{ outcome: { type: 'response', status }, durationMs: 20, timings: {}, remoteAddress: null },
  ...{ responseHeaders: null, responseBody: null },
});
const largePayload = { ...task, payload: null };

/**
 * What an attempt does with a leased delivery: send (`called`), release, or nothing. Loading the delivery again, or its
 * large payload, takes `loadMs`.
 */
async function attemptUntilSend(
  times: LeaseTimes,
  loadMs: number,
  changes: Partial<DeliveryTask> = {},
  payload: string | null = '{}',
) {
  let end = 'nothing';
  const permit = { tryStartRequest: () => true, reportRequestEnd: () => undefined, release: () => undefined };
  const deps = {
    ...{ secrets, log, metrics, sender: { send: async () => ((end = 'called'), response(200)) } },
    limiter: { acquire: async () => permit },
    recorder: {
      payloadBytes: async () => 100_000,
      loadPayload: () => sleep(loadMs).then(() => '{}'),
      load: async () => {
        await sleep(loadMs);
        return { ...task, ...changes };
      },
      record: async () => true,
      release: async () => void (end = 'released'),
    },
  } as unknown as AttempterDeps;
  await new Attempter(deps, settings).attempt({ ...task, payload }, times);
  return end;
}

/** Dependencies of an attempt, which add its steps to a list. */
function setUp({ status = 200 } = {}) {
  const steps: unknown[] = [];
  const did = <T>(step: string, result?: T) => Promise.resolve(steps.push(step)).then(() => result as T);
  const permit = {
    tryStartRequest: () => steps.push('start') > 0,
    reportRequestEnd: (result: unknown) => (steps.push(['end', result]), null),
    release: () => steps.push('permit back'),
  };
  const deps = {
    limiter: { acquire: () => did('permit', permit) },
    recorder: {
      payloadBytes: async () => 100_000,
      loadPayload: () => did<string | undefined>('payload', '{"id":"m"}'),
      load: () => did('load', task),
      record: () => did('record', true),
      release: () => did('released'),
    },
    sender: { send: () => did('send', response(status)) },
    ...{ secrets, log, metrics },
  } as unknown as AttempterDeps;
  return { deps, steps };
}

test('an attempt reports to the limiter only the time of its request, without loading and recording', async () => {
  const { deps, steps } = setUp();
  const times = { loadedAtMonotonicMs: -Infinity, sendByMonotonicMs: Infinity };
  await new Attempter(deps, settings).attempt(largePayload, times);
  const result = { durationMs: 20, hasResponse: true, overload: null };
  expect(steps).toEqual(['permit', 'payload', 'load', 'start', 'send', ['end', result], 'record', 'permit back']);
});

test('an attempt whose details cannot be composed is recorded without them', async () => {
  const { deps } = setUp();
  const records: unknown[] = [];
  deps.recorder.record = async (attempt) => records.push(attempt) > 0;
  const responseHeaders = {
    get name(): string {
      throw new Error('defect');
    },
  };
  deps.sender.send = async () => ({ ...response(200), responseHeaders }) as never;
  const times = { loadedAtMonotonicMs: performance.now(), sendByMonotonicMs: Infinity };
  await new Attempter(deps, settings).attempt(task, times);
  expect(records).toEqual([
    expect.objectContaining({ state: 'delivered', statusCode: 200, requestHeaders: null, responseHeaders: null }),
  ]);
});

test.each([
  [{ isResend: false, isRecorded: true }, ['delivery.failed']],
  [{ isResend: true, isRecorded: true }, ['delivery.resend_failed']],
  [{ isResend: false, isRecorded: false }, []],
])('the last failed attempt with %p logs the warnings %p', async ({ isResend, isRecorded }, expected) => {
  const warnings: string[] = [];
  const { deps } = setUp({ status: 500 });
  deps.log = { ...log, warn: (event) => void warnings.push(event) };
  deps.recorder.record = () => Promise.resolve(isRecorded);
  const times = { loadedAtMonotonicMs: performance.now(), sendByMonotonicMs: Infinity };
  await new Attempter(deps, { ...settings, retries: noRetries }).attempt({ ...task, isResend }, times);
  expect(warnings).toEqual(expected);
});

test('a delivery whose event was deleted is released for the claim that fails it', async () => {
  const { deps, steps } = setUp();
  deps.recorder.loadPayload = () => Promise.resolve(undefined);
  const times = { loadedAtMonotonicMs: -Infinity, sendByMonotonicMs: Infinity };
  expect(await new Attempter(deps, settings).attempt(largePayload, times)).toEqual({ type: 'dueNow' });
  expect(steps).toEqual(['permit', 'released', 'permit back']);
});

describe('a leased delivery', () => {
  test('gets its callback before `sendByMonotonicMs`, and is released when loading took longer', async () => {
    const now = performance.now();
    expect(await attemptUntilSend({ loadedAtMonotonicMs: now, sendByMonotonicMs: now + 10_000 }, 0)).toBe('called');
    expect(await attemptUntilSend({ loadedAtMonotonicMs: now - 1_000, sendByMonotonicMs: now + 10_000 }, 20)).toBe(
      'called',
    );
    expect(
      await attemptUntilSend({ loadedAtMonotonicMs: now - 1_000, sendByMonotonicMs: performance.now() + 50 }, 100),
    ).toBe('released');
    expect(await attemptUntilSend({ loadedAtMonotonicMs: now, sendByMonotonicMs: now - 1 }, 0)).toBe('released');
    const loadedNow = (sendWithinMs: number): LeaseTimes => ({
      loadedAtMonotonicMs: performance.now(),
      sendByMonotonicMs: performance.now() + sendWithinMs,
    });
    expect(await attemptUntilSend(loadedNow(10_000), 100, {}, null)).toBe('called');
    expect(await attemptUntilSend(loadedNow(50), 100, {}, null)).toBe('released');
  });

  test('is not attempted when it has ended, or was leased to another worker, since it was loaded', async () => {
    const times = () => ({
      loadedAtMonotonicMs: performance.now() - 1_000,
      sendByMonotonicMs: performance.now() + 10_000,
    });
    expect(await attemptUntilSend(times(), 0)).toBe('called');
    expect(await attemptUntilSend(times(), 0, { leasedAt: 'of another' })).toBe('nothing');
    expect(await attemptUntilSend(times(), 0, { state: 'delivered' })).toBe('nothing');
  });
});
