import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startApi, type TestAccount, type TestApi } from '../api.fixture.js';

let api: TestApi;
let account: TestAccount;
beforeAll(async () => void (api = await startApi()));
afterAll(() => api.close());
beforeEach(async () => void (account = await api.makeAccount()));

const preview = (input: object) => account.post('/developer/webhooks/preview', input);

describe('a preview', () => {
  test('renders both templates with the given payload, warns, and stores nothing', async () => {
    const sample = { id: 'm:1', units: 2, custom: '', cid: null };
    const payload = { parts: '{{units}}', custom: '{{custom}}', cid: '{{cid}}', all: '{{nothing}} of {{id}}' };
    const uri = 'https://example.com/in?m={{id}}';
    const { body } = await preview({ event: 'sms:message:status', uri, payload, sample }).expect(200);
    expect(body.data).toEqual({
      event: 'sms:message:status',
      sample,
      url: 'https://example.com/in?m=m%3A1',
      body: '{"parts":2,"custom":"","cid":null,"all":" of m:1"}',
      warnings: ['{{cid}} is null', '{{nothing}} is unknown', '{{custom}} is empty'],
    });
    expect((await account.get('/developer/webhooks').expect(200)).body.data).toEqual([]);
  });

  test.each(['sms:message:status', 'rcs:message:status', 'rcs:message:in'])('of %s has a sample', async (event) => {
    const { body } = await preview({ event }).expect(200);
    const { sample, url, body: sent, warnings } = body.data;
    expect([url, warnings]).toEqual([null, []]);
    expect(JSON.parse(sent)).toEqual(event.startsWith('sms') ? sample : { event, payload: sample });
  });

  test.each([
    [{}, 'event'],
    [{ event: 'rcs:message:in', uri: 'ftp://example.com' }, 'uri'],
    [{ event: 'rcs:message:in', payload: 'text' }, 'payload'],
    [{ event: 'rcs:message:in', sample: {} }, 'sample.id'],
  ])('of %j is refused for its %s', async (input, field) => {
    const { body } = await preview(input).expect(422);
    expect(Object.keys(body.errors)).toEqual([field]);
  });

  test('supports only POST, although a webhook could be at its path', async () => {
    const { headers } = await account.get('/developer/webhooks/preview').expect(405);
    expect(headers.allow).toBe('POST');
  });

  test('answers OPTIONS with its own method', async () => {
    const { status, text, headers } = await account.options('/developer/webhooks/preview');
    expect([status, text, headers.allow]).toEqual([204, '', 'POST']);
  });
});
