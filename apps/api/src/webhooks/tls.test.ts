import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeCertificate } from '@ringback/receiver';
import { errorBody, makeWebhook, startApi, type TestAccount, type TestApi, webhookInput } from '../api.fixture.js';

let api: TestApi;
let account: TestAccount;
beforeAll(async () => void (api = await startApi()));
afterAll(() => api.close());
beforeEach(async () => void (account = await api.makeAccount()));

const authority = makeCertificate({ name: 'authority' });
const ca = authority.cert;
const leaf = makeCertificate({ isAuthority: false, issuer: { ...authority, name: 'authority' } }).cert;
const expired = makeCertificate({ days: -5 }).cert;

describe('tls.ca', () => {
  test('is shown as it was given, kept by an edit without it, and cleared by null', async () => {
    const bundle = `# the old one and the new one\n${ca}${makeCertificate().cert}`;
    const { id, tls } = await makeWebhook(account, { tls: { ca: bundle } });
    const path = `/developer/webhooks/${id}`;
    expect(tls).toEqual({ ca: bundle });
    expect((await account.put(path, webhookInput({})).expect(200)).body.data.tls).toEqual({ ca: bundle });
    expect((await account.patch(path, { tls: { ca } }).expect(200)).body.data.tls).toEqual({ ca });
    expect((await account.get(path)).body.data.tls).toEqual({ ca });
    const cleared = await account.patch(path, { tls: null }).expect(200);
    expect(cleared.body.data).not.toHaveProperty('tls');
    expect(await makeWebhook(account, { tls: null })).not.toHaveProperty('tls');
    const changes = (await account.get(`/developer/changes?filter[object_id]=${id}`)).body.data;
    expect(changes.map(({ changed }: { changed: unknown }) => changed)).toEqual([
      [{ field: 'tls' }],
      [{ field: 'tls' }],
      [],
      expect.arrayContaining([{ field: 'tls' }]),
    ]);
  });

  test('may come from a form', async () => {
    const form = (fields: Record<string, string>) =>
      account
        .post('/developer/webhooks')
        .set('Content-Type', 'application/x-www-form-urlencoded')
        .send(new URLSearchParams({ name: 'orders', uri: 'https://example.com/', ...fields }).toString());
    expect((await form({ 'tls[ca]': ca }).expect(200)).body.data.tls).toEqual({ ca });
    expect((await form({ tls: JSON.stringify({ ca }) }).expect(200)).body.data.tls).toEqual({ ca });
    expect((await form({ tls: '' }).expect(200)).body.data).not.toHaveProperty('tls');
  });

  const notPem =
    'The tls.ca field must be a certificate in PEM: -----BEGIN CERTIFICATE----- … -----END CERTIFICATE-----.';
  const damaged = 'The tls.ca field has a certificate that cannot be read: it is damaged.';
  const noCa = 'The tls.ca field has a certificate that is no CA certificate. Give the one that signed it.';
  test.each<[string, unknown, string]>([
    ['absent', undefined, 'The tls.ca field is required.'],
    ['null', null, 'The tls.ca field is required.'],
    ['empty', ' ', 'The tls.ca field is required.'],
    ['a number', 1, 'The tls.ca field must be a string.'],
    ['other text', 'ca.pem', notPem],
    ['not whole', ca.slice(0, -20), notPem],
    ['whole once and not whole once', ca + ca.slice(0, -20), notPem],
    ['damaged', ca.replace(/\n.{8}/, '\nAAAAAAAA'), damaged],
    ['a certificate that is no CA', leaf, noCa],
    ['a CA and another certificate', ca + leaf, noCa],
    ['another kind of PEM', ca.replaceAll('CERTIFICATE', 'PUBLIC KEY'), notPem],
    ['a certificate with its key', ca + authority.key, 'The tls.ca field must not have a private key. Keep it secret.'],
    ['too long', ca.repeat(50), 'The tls.ca field must not be greater than 16384 characters.'],
    ['a NUL', `\0${ca}`, 'The tls.ca field holds a character that is not allowed.'],
  ])('that is %s is refused', async (_what, value, message) => {
    const { status, body } = await account.post('/developer/webhooks', webhookInput({ tls: { ca: value } }));
    expect([status, body]).toEqual([422, errorBody(422, 'ValidationError', message, { 'tls.ca': [message] })]);
  });

  test('that has expired is refused with its date, in an edit too', async () => {
    const day = new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 10);
    const message = `The tls.ca field has a CA certificate that expired on ${day}.`;
    const { id } = await makeWebhook(account);
    const { status, body } = await account.patch(`/developer/webhooks/${id}`, { tls: { ca: expired } });
    expect([status, body]).toEqual([422, errorBody(422, 'ValidationError', message, { 'tls.ca': [message] })]);
  });
});

test.each([['text'], [1], [[]]])('tls %j is refused', async (tls) => {
  const { body } = await account.post('/developer/webhooks', webhookInput({ tls }));
  expect(body.errors).toEqual({ tls: ['The tls field must be an object.'] });
});

test('an unknown field of tls is refused, and named', async () => {
  const { body } = await account.post('/developer/webhooks', webhookInput({ tls: { ca, certificate: 'x', keys: 1 } }));
  expect(body.errors).toEqual({
    'tls.certificate': ['The tls.certificate field is not supported. Supported: tls.ca.'],
    'tls.keys': ['The tls.keys field is not supported. Supported: tls.ca.'],
  });
});
