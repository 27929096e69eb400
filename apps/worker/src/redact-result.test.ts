import { createNaming, defaultNaming, parseAllowList } from '@ringback/rules';
import type { TaskWithPayload, TestCallResult } from '@ringback/ledger';
import { afterEach, expect, test } from '@jest/globals';
import { egressProxy, openTestProxy } from './sender/egress-proxy.fixture.js';
import { Sender } from './sender/send.js';
import { stubResolver } from './sender/send-egress.fixture.js';
import { recordedFields, redactOutcome } from './recorded-fields.js';
import { makeTestCall } from './test-call.js';

const naming = createNaming(defaultNaming, '1.2.3');
const closers: (() => unknown)[] = [];
afterEach(() => Promise.all(closers.splice(0).map((close) => close())));

const task = {
  id: 'd1',
  webhookId: 'w1',
  accountId: 'a1',
  eventId: 'e1',
  channel: 'sms',
  eventName: 'sms:message:status',
  payload: '{"id":"1"}',
  ca: null,
  bodyTemplate: null,
  signing: true,
  encrypted: {
    secret: null,
    callbackToken: 'token',
    userinfo: null,
    signingSecret: null,
    previousSigningSecret: null,
    verificationCode: null,
  },
  verification: null,
  receivedAt: new Date(),
  attemptCount: 0,
  isActive: true,
  isDeleted: false,
  isOnHold: false,
  state: 'pending',
  expiredLeaseCount: 0,
  leasedAt: null,
  isResend: false,
} satisfies Omit<TaskWithPayload, 'uri'>;
const decrypted = { bearer: 'token', userinfo: null, signingSecrets: [], verificationCode: null };

const addressesByName = {
  'internal.example': ['10.0.0.7'],
  'mixed.example': ['169.254.169.254', '127.0.0.1'],
  postgres: ['172.17.0.2'],
};

/** A record whose advice does not name the host of the uri, which the customer knows. */
const withoutHost = <T extends { advice: string | null }>(record: T, uri: string) => ({
  ...record,
  advice: record.advice?.replace(new URL(uri).hostname, 'HOST'),
});

/**
 * Makes a test call to a uri. Returns its record without the fields that differ between any two calls, and the logs.
 */
async function testCall(uri: string, proxyAnswer?: string) {
  const proxy = proxyAnswer === undefined ? undefined : await openTestProxy(proxyAnswer);
  const sender = new Sender({
    timeoutMs: 20_000,
    allow: parseAllowList('127.0.0.9/32'),
    resolve: stubResolver(addressesByName),
    proxy: proxy && egressProxy(`http://127.0.0.1:${proxy.port}`),
  });
  closers.push(
    () => sender.close(),
    () => proxy?.close(),
  );
  const results: TestCallResult[] = [];
  const logged: unknown[] = [];
  const addFields = (_event: string, fields?: object) => void logged.push(fields);
  const startedAt = performance.now();
  await makeTestCall(
    {
      claim: () => Promise.resolve({ ...task, uri }),
      record: async (_id, result) => void results.push(result),
      sender,
      log: { error: addFields, warn: addFields, info: addFields, debug: addFields },
      secrets: { decrypt: () => decrypted },
      requireVerification: false,
      naming,
    },
    'd1',
  );
  const tookMs = performance.now() - startedAt;
  const [result] = results;
  if (result?.type === 'unavailable') return { shown: result, durationMs: 0, tookMs, logged };
  if (!result || result.type !== 'attempted') throw new Error('no call was recorded');
  const { startedAt: _at, url: _url, requestHeaders: _headers, durationMs, ...attempt } = result.attempt;
  return { shown: withoutHost(attempt, uri), durationMs, tookMs, logged };
}

test('a test call to a name with a forbidden address looks like one to a name that does not exist', async () => {
  const missing = await testCall('http://missing.example/');
  expect(missing.shown).toMatchObject({ outcome: 'dns', errorCode: 'ENOTFOUND', remoteAddress: null, dnsMs: null });
  for (const uri of [
    'http://internal.example/',
    'https://internal.example:8443/',
    'http://mixed.example/',
    'http://postgres:5432/',
  ]) {
    const { shown, durationMs, tookMs, logged } = await testCall(uri);
    expect([uri, shown]).toEqual([uri, missing.shown]);
    // The API responds no sooner than after the recorded duration, which is rounded up.
    expect(durationMs % 250).toBe(0);
    expect(tookMs).toBeGreaterThanOrEqual(durationMs - 2);
    // The operator's log has the real outcome.
    expect(JSON.stringify(logged)).toContain('REFUSED_ADDRESS');
  }
  expect(JSON.stringify(missing.logged)).toContain('ENOTFOUND');
});

test('all failures of a proxy to connect look the same to the customer', async () => {
  const answers = ['500 Error', '502 Bad Gateway', '503 Unavailable', 'close'];
  for (const answer of answers) {
    const { shown, durationMs } = await testCall('http://internal.example/', answer);
    expect([answer, shown]).toMatchObject([answer, { outcome: 'connect', errorCode: 'PROXY_FAILED' }]);
    expect(durationMs % 250).toBe(0);
  }
});

test('the refusal of a proxy is shown, without timings that would tell what it tried', async () => {
  const { shown, durationMs } = await testCall('http://internal.example/', '403 Forbidden');
  expect(shown).toMatchObject({
    errorCode: 'PROXY_DENIED',
    dnsMs: null,
    connectMs: null,
    tlsMs: null,
    firstByteMs: null,
  });
  expect(durationMs % 250).toBe(0);
});

test('a test call that the proxy fails is not sent, and says so', async () => {
  const { shown, logged } = await testCall('http://receiver.example/', '407 Proxy Authentication Required');
  expect(shown).toEqual({ type: 'unavailable', reason: 'the proxy for callbacks does not work' });
  expect(JSON.stringify(logged)).toContain('PROXY_407');
});

test('attempts of deliveries are redacted in the same way', async () => {
  const sender = new Sender({ timeoutMs: 20_000, allow: parseAllowList(''), resolve: stubResolver(addressesByName) });
  closers.push(() => sender.close());
  const recordOf = async (host: string) => {
    const delivery = { ...task, uri: `http://${host}/` };
    const urls = { url: delivery.uri, shownUrl: delivery.uri };
    const callback = { ...urls, headers: {}, body: Buffer.from('{}'), isUntemplated: true, warnings: [] };
    const sent = await sender.send(callback);
    const { url: _url, ...shown } = recordedFields(delivery, { callback, secrets: decrypted, sent }, naming);
    return withoutHost(shown, delivery.uri);
  };
  expect(await recordOf('internal.example')).toEqual(await recordOf('missing.example'));
});

test('a forbidden address in the uri is shown as refused, and other outcomes stay', () => {
  const refused = { type: 'refused', code: 'REFUSED_ADDRESS' } as const;
  for (const url of ['http://10.0.0.1/', 'http://[::1]:80/']) expect(redactOutcome(url, refused)).toBe(refused);
  const reset = { type: 'reset', code: 'ECONNRESET' } as const;
  expect(redactOutcome('http://receiver.example/', reset)).toBe(reset);
});
