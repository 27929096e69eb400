import { describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNaming, defaultNaming, defaultRetrySettings, noRetries } from '@ringback/rules';
import type { AttemptRecord, DeliveryTask } from '@ringback/ledger';
import { Attempter, type AttempterDeps, type AttemptSettings, type LeaseTimes } from './attempt.js';
import type { AttemptEnd, Permit } from './limits/limited-webhook.js';
import type { SendResult } from './sender/send.js';

const task: DeliveryTask = {
  id: 'd',
  eventId: 'e',
  webhookId: 'w',
  accountId: 'a',
  leasedAt: 'mine',
  attemptCount: 0,
  expiredLeaseCount: 0,
  isResend: false,
  receivedAt: new Date(),
  state: 'pending',
  channel: 'sms',
  eventName: 'sms:message:status',
  payload: '{"id":"m"}',
  uri: 'http://receiver.test/',
  ca: null,
  bodyTemplate: null,
  signing: true,
  isActive: true,
  isDeleted: false,
  isOnHold: false,
  verification: null,
  encrypted: {
    secret: null,
    callbackToken: 'encrypted',
    userinfo: null,
    signingSecret: null,
    previousSigningSecret: null,
    verificationCode: null,
  },
};
const largePayload = { ...task, payload: null };
const settings: AttemptSettings = {
  retries: defaultRetrySettings,
  requireVerification: false,
  isDeliveryOff: false,
  naming: createNaming(defaultNaming, '1'),
};
const response = (status: number): SendResult => ({
  outcome: { type: 'response', status },
  durationMs: 20,
  timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null },
  remoteAddress: null,
  responseHeaders: null,
  responseBody: null,
});
const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

type Phase = 'prepares' | 'in flight' | 'request ended' | 'permit back';

/**
 * Dependencies of an attempt, what it has done, and its phase by what it told the limiter. Tests replace single
 * functions.
 */
function setUp({ status = 200 } = {}) {
  const done = {
    phase: 'prepares' as Phase,
    /** What was reported of the request. */
    ends: [] as AttemptEnd[],
    records: [] as AttemptRecord[],
    releaseCount: 0,
    sendCount: 0,
  };
  const permit: Permit = {
    tryStartRequest: () => {
      done.phase = 'in flight';
      return true;
    },
    reportRequestEnd: (end) => {
      done.phase = 'request ended';
      done.ends.push(end);
      return null;
    },
    release: () => void (done.phase = 'permit back'),
  };
  const deps: AttempterDeps = {
    limiter: { acquire: async () => permit },
    recorder: {
      payloadBytes: async () => 100_000,
      loadPayload: async () => '{"id":"m"}',
      load: async () => task,
      record: async (attempt) => done.records.push(attempt) > 0,
      end: async () => true,
      release: async () => void done.releaseCount++,
    },
    sender: { send: async () => (done.sendCount++, response(status)) },
    secrets: { decrypt: () => ({ bearer: 'b', userinfo: null, signingSecrets: [], verificationCode: null }) },
    metrics: { callbackStarted: () => {}, callbackEnded: () => {}, observeAttempt: () => {} },
    tracer: undefined,
    log,
  };
  return { deps, done };
}

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
  const { deps, done } = setUp();
  deps.recorder.loadPayload = () => sleep(loadMs).then(() => '{}');
  deps.recorder.load = () => sleep(loadMs).then(() => ({ ...task, ...changes }));
  await new Attempter(deps, settings).attempt({ ...task, payload }, times);
  if (done.sendCount > 0) return 'called';
  return done.releaseCount > 0 ? 'released' : 'nothing';
}

test('only the time of its request counts against a receiver, and the permit is held until the attempt is recorded', async () => {
  const { deps, done } = setUp();
  const phases: Record<string, Phase> = {};
  /** Notes the phase in which a function is called. */
  const noting = <Args extends unknown[], T>(name: string, call: (...args: Args) => T) => {
    return (...args: Args) => {
      phases[name] = done.phase;
      return call(...args);
    };
  };
  deps.recorder.loadPayload = noting('loadPayload', deps.recorder.loadPayload);
  deps.recorder.load = noting('load', deps.recorder.load);
  deps.sender.send = noting('send', deps.sender.send);
  deps.recorder.record = noting('record', deps.recorder.record);
  const times = { loadedAtMonotonicMs: -Infinity, sendByMonotonicMs: Infinity };
  await new Attempter(deps, settings).attempt(largePayload, times);
  expect(phases).toEqual({ loadPayload: 'prepares', load: 'prepares', send: 'in flight', record: 'request ended' });
  expect(done).toMatchObject({
    phase: 'permit back',
    ends: [{ durationMs: 20, hasResponse: true, overload: null }],
    records: [{ state: 'delivered' }],
    releaseCount: 0,
  });
});

test('an attempt whose details cannot be composed is recorded without them', async () => {
  const { deps, done } = setUp();
  const responseHeaders = {
    get name(): string {
      throw new Error('defect');
    },
  };
  deps.sender.send = async () => ({ ...response(200), responseHeaders });
  const times = { loadedAtMonotonicMs: performance.now(), sendByMonotonicMs: Infinity };
  await new Attempter(deps, settings).attempt(task, times);
  expect(done.records).toEqual([
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
  const { deps, done } = setUp();
  deps.recorder.loadPayload = () => Promise.resolve(undefined);
  const times = { loadedAtMonotonicMs: -Infinity, sendByMonotonicMs: Infinity };
  expect(await new Attempter(deps, settings).attempt(largePayload, times)).toEqual({ type: 'dueNow' });
  expect(done).toMatchObject({ phase: 'permit back', releaseCount: 1, sendCount: 0, records: [] });
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
