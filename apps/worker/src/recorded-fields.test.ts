import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestbed, type Testbed } from './worker.fixture.js';

let testbed: Testbed;
beforeAll(async () => void (testbed = await startTestbed('postgres')));
afterAll(async () => {
  await testbed.close();
  expect(testbed.errors).toEqual([]);
});

const push = (webhookId: string) => testbed.pushSamples('sms', { webhookId });

test('an attempt is stored with its timings, the receiver’s address and the response headers', async () => {
  testbed.receiver.answerWith(() => ({ status: 200, headers: { 'X-Trace': 'abc' }, body: 'thanks' }));
  const { id } = await testbed.makeWebhook({ secret: 's3cret' });
  await push(id);
  const { attempts } = await testbed.waitForDelivery({ webhookId: id }, 'delivered');
  expect(attempts).toEqual([
    expect.objectContaining({
      kind: 'scheduled',
      connectMs: expect.any(Number),
      firstByteMs: expect.any(Number),
      tlsMs: null,
      remoteAddress: '127.0.0.1',
      requestHeaders: {
        'User-Agent': expect.stringMatching(/^Ringback\//),
        'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
        'webhook-signature': expect.stringMatching(/^v1,/),
      },
      requestBody: null,
      responseHeaders: expect.objectContaining({ 'x-trace': 'abc' }),
      responseBody: 'thanks',
    }),
  ]);
});

test('the body of a template is stored, and a token in a response header is masked', async () => {
  testbed.receiver.answerWith(({ headers }) => ({ status: 200, headers: { 'X-Echo': String(headers.authorization) } }));
  const { id } = await testbed.makeWebhook({ secret: 's3cret', bodyTemplate: { to: '{{mobile}}' }, signing: false });
  await push(id);
  const { attempts } = await testbed.waitForDelivery({ webhookId: id }, 'delivered');
  expect(attempts[0]).toMatchObject({
    requestBody: expect.stringMatching(/^\{"to":"\d+"\}$/),
    requestHeaders: { Signature: null },
    responseHeaders: { 'x-echo': 'Bearer [secret]' },
  });
});

test('the verification code is masked in the encodings in which the receiver repeats it', async () => {
  const code = 'ver1fy/me+<&"12';
  const echoed = [code, encodeURIComponent(code), JSON.stringify(code), Buffer.from(code).toString('base64')];
  testbed.receiver.answerWith(() => ({ status: 200, headers: { 'X-Code': code }, body: echoed.join('|') }));
  const { id } = await testbed.makeWebhook({ verificationCode: code });
  await push(id);
  const { attempts } = await testbed.waitForDelivery({ webhookId: id }, 'delivered');
  expect(attempts[0]?.responseBody).toBe('[secret]|[secret]|"[secret]"|[secret]');
  expect(attempts[0]?.responseHeaders).toMatchObject({ 'x-code': '[secret]' });
});

test('the values of response headers whose names hold secrets are all stored', async () => {
  const [secret, verificationCode] = ['s3cret-name', 'c0de-name'];
  testbed.receiver.answerWith(() => ({ status: 200, headers: { [secret]: 'one', [verificationCode]: 'two' } }));
  const { id } = await testbed.makeWebhook({ secret, verificationCode });
  await push(id);
  const { attempts } = await testbed.waitForDelivery({ webhookId: id }, 'delivered');
  expect(attempts[0]?.responseHeaders).toMatchObject({ '[secret]': 'one, two' });
});

test('32 response headers with 2,048 characters are stored', async () => {
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`X-${index}`, 'v'.repeat(index)]));
  testbed.receiver.answerWith(() => ({ status: 200, headers: many }));
  const { id } = await testbed.makeWebhook();
  await push(id);
  const { attempts } = await testbed.waitForDelivery({ webhookId: id }, 'delivered');
  expect(Object.keys(attempts[0]?.responseHeaders ?? {})).toHaveLength(32);

  testbed.receiver.answerWith(() => ({ status: 200, headers: { 'X-Long': 'v'.repeat(5_000), 'X-Last': 'v' } }));
  const other = await testbed.makeWebhook();
  await push(other.id);
  const delivery = await testbed.waitForDelivery({ webhookId: other.id }, 'delivered');
  expect(delivery.attempts[0]?.responseHeaders).toEqual({ 'x-long': 'v'.repeat(2_048 - 'x-long'.length) });
});
