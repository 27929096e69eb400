import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { VerifyOptions } from './signature-checks.js';
import { verify as verifyInNode } from './verify.js';
import { verify as verifyAnywhere } from './web-verify.js';

const webhookId = '180ebbb5-9b6f-4c51-a98a-0123456789ab';
const body = '{"id":"b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1","mobile":"918921269000","status":"DELIVRD"}';
const signature = '78eb8d4ae0d4e2631faf99a29febf3ac76283dcd795caf34b5ab22476661d548';
const headers = { signature, authorization: 'Bearer s3cret' };
const no = (reason: string) => ({ ok: false, reason });

describe.each([
  ['node:crypto', verifyInNode],
  ['Web Crypto', verifyAnywhere],
])('with %s', (_crypto, verify) => {
  describe('Signature and Authorization', () => {
    test.each([
      ['the documented signature', { webhookId }],
      ['one of several webhooks', { webhookId: ['abc', webhookId] }],
      ['the bearer', { bearer: 's3cret' }],
      ['both', { webhookId, bearer: ['old', 's3cret'] }],
    ])('%s passes', async (_, options) => {
      expect(await verify({ body, headers }, options)).toEqual({ ok: true });
      expect(await verify({ body: Buffer.from(body), headers: new Headers(headers) }, options)).toEqual({ ok: true });
    });

    test.each([
      ['another webhook', { webhookId: 'abc' }, headers, 'the Signature header is wrong'],
      ['no signature', { webhookId }, { authorization: 'Bearer s3cret' }, 'the Signature header is missing'],
      [
        'a signature in capitals',
        { webhookId },
        { signature: signature.toUpperCase() },
        'the Signature header is wrong',
      ],
      [
        'a part of the signature',
        { webhookId },
        { signature: signature.slice(0, 60) },
        'the Signature header is wrong',
      ],
      ['another bearer', { webhookId, bearer: 'other' }, headers, 'the Authorization header is wrong'],
      ['no bearer', { webhookId, bearer: 'other' }, { signature }, 'the Authorization header is missing'],
    ])('%s is refused', async (_, options, given, reason) => {
      expect(await verify({ body, headers: given }, options)).toEqual(no(reason));
    });

    test.each([
      ['as on the wire', { Signature: signature, Authorization: 'Bearer s3cret' }],
      ['in capitals', { SIGNATURE: signature, AUTHORIZATION: 'Bearer s3cret' }],
      ['with lists of values', { Signature: [signature], authorization: ['Bearer s3cret'] }],
      ['beside an unset name in lower case', { ...headers, signature: undefined, Signature: signature }],
      [
        'in a Headers object',
        new Headers([
          ['SIGNATURE', signature],
          ['Authorization', 'Bearer s3cret'],
        ]),
      ],
    ])('header names %s pass', async (_, given) => {
      expect(await verify({ body, headers: given }, { webhookId, bearer: 's3cret' })).toEqual({ ok: true });
    });

    test('a body in an ArrayBuffer passes', async () => {
      const buffer = new TextEncoder().encode(body).buffer as unknown as Uint8Array;
      expect(await verify({ body: buffer, headers }, { webhookId })).toEqual({ ok: true });
    });

    test.each([[JSON.parse(body)], [[body]], [undefined], [null], [1]])(
      'the body %j throws a TypeError that says how to get the raw body',
      async (parsed) => {
        const check = async () => verify({ body: parsed, headers }, { webhookId });
        await expect(check).rejects.toThrow(
          /raw body .* not a parsed one; in Express, use express\.raw\(\{type: 'application\/json'\}\)/,
        );
        await expect(check).rejects.toBeInstanceOf(TypeError);
      },
    );

    test('a body that was parsed and serialised again is refused', async () => {
      const again = JSON.stringify(JSON.parse(body), null, 1);
      expect(await verify({ body: again, headers }, { webhookId })).toEqual(no('the Signature header is wrong'));
    });

    test.each([
      ['nothing to check', {}, /give webhookId, bearer or signingSecret/],
      ['an empty bearer', { bearer: '' }, /bearer is empty/],
      ['no webhook', { webhookId: [] }, /webhookId is empty/],
      ['a malformed secret', { signingSecret: 'whsec_!' }, /signingSecret/],
      ['a bearer that is not set, beside a webhook', { webhookId, bearer: undefined }, /bearer is undefined/],
      ['a bearer of which one is not set', { bearer: ['s3cret', undefined] }, /bearer is undefined/],
      ['a bearer of which one is null', { bearer: ['s3cret', null] }, /bearer is undefined/],
      ['a bearer that is null', { webhookId, bearer: null }, /bearer is undefined/],
      ['a webhook that is not set', { webhookId: [undefined] }, /webhookId is undefined/],
      ['a secret that is not set, beside a webhook', { webhookId, signingSecret: undefined }, /signingSecret is undef/],
    ])('%s throws a TypeError', async (_, options, message) => {
      // As from JavaScript: the types refuse unset values.
      const given = options as VerifyOptions;
      await expect(async () => verify({ body, headers }, given)).rejects.toThrow(message);
      await expect(async () => verify({ body, headers }, given)).rejects.toBeInstanceOf(TypeError);
    });
  });

  describe('the Standard Webhooks headers', () => {
    // The example of the Standard Webhooks libraries.
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const standard = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    const text = '{"test": 2432232314}';
    const sentAt = 1614265330_000;
    const at = (seconds: number) => new Date(sentAt + seconds * 1000);
    const check = (given: object, now = at(0), options = {}) =>
      verify({ body: text, headers: { ...standard, ...given } }, { signingSecret: secret, ...options }, now);

    test('the example passes, also without whsec_, beside another signature and while the secret is changed', async () => {
      expect(await check({})).toEqual({ ok: true });
      expect(await check({}, at(0), { signingSecret: secret.slice(6) })).toEqual({ ok: true });
      expect(await check({ 'webhook-signature': `v1,AAAA ${standard['webhook-signature']}` })).toEqual({ ok: true });
      expect(await check({}, at(0), { signingSecret: ['whsec_AAAA', secret] })).toEqual({ ok: true });
    });

    test.each([
      [300, { ok: true }],
      [301, no('the webhook-timestamp header is too old')],
      [-300, { ok: true }],
      [-301, no('the webhook-timestamp header is in the future')],
    ])('a callback that is verified %i seconds after its timestamp', async (seconds, verified) => {
      expect(await check({}, at(seconds))).toEqual(verified);
    });

    test.each([
      [{ 'webhook-id': 'msg_other' }, 'the webhook-signature header is wrong'],
      [{ 'webhook-timestamp': '1614265331' }, 'the webhook-signature header is wrong'],
      [{ 'webhook-timestamp': 'now' }, 'the webhook-timestamp header is not a Unix timestamp'],
      [{ 'webhook-signature': standard['webhook-signature'].slice(3) }, 'the webhook-signature header is wrong'],
      [{ 'webhook-signature': '' }, 'the webhook-signature header is missing'],
      [{ 'webhook-timestamp': undefined }, 'the webhook-timestamp header is missing'],
      [{ 'webhook-id': undefined }, 'the webhook-id header is missing'],
    ])('%o is refused', async (given, reason) => {
      expect(await check(given)).toEqual(no(reason));
    });

    test('are checked together with Signature when both are configured', async () => {
      const options = { webhookId: 'abc' };
      expect(await check({}, at(0), options)).toEqual(no('the Signature header is missing'));
      const own = createHmac('sha256', 'abc').update(text).digest('hex');
      expect(await check({ signature: own }, at(0), options)).toEqual({ ok: true });
    });
  });
});
