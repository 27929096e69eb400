import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeWebhook, startApi, type TestAccount, type TestApi, webhookInput } from '../api.fixture.js';

let api: TestApi;
let account: TestAccount;
let id: string;
let path: string;
beforeAll(async () => void (api = await startApi()));
afterAll(() => api.close());
beforeEach(async () => {
  account = await api.makeAccount();
  ({ id } = await makeWebhook(account));
  path = `/developer/webhooks/${id}`;
});

describe('unknown fields', () => {
  const names = ['method', 'headers', 'auth', 'timeout', 'retries', 'filters', 'batch_size', 'id', 'signing_secret'];
  const unknown = Object.fromEntries(names.map((name) => [name, 'x']));
  const warnings = names.map((name) => `Unknown field "${name}": it was ignored.`);

  test('of a create, an edit and a subscription are named in warnings, and ignored', async () => {
    const made = await account.post('/developer/webhooks', webhookInput(unknown)).expect(200);
    expect(made.body).toMatchObject({ data: { name: 'orders' }, warnings });
    for (const method of ['put', 'patch'] as const)
      expect((await account[method](path, webhookInput(unknown)).expect(200)).body.warnings).toEqual(warnings);
    const form = account.post('/developer/webhooks').set('Content-Type', 'application/x-www-form-urlencoded');
    const sent = await form.send('name=a&uri=https%3A%2F%2Fexample.com&headers[X-A]=1').expect(200);
    expect(sent.body.warnings).toEqual(['Unknown field "headers": it was ignored.']);
    const input = { event: 'sms:message:status', webhook_id: id, identiy: 'number:1' };
    const { body } = await account.post('/developer/subscriptions', input).expect(200);
    expect(body.warnings).toEqual(['Unknown field "identiy": it was ignored.']);
  });

  test('stand before the warnings of templates, and there are no warnings without any', async () => {
    const sent = webhookInput({ payload: { a: 1 }, method: 'GET' });
    const { body } = await account.post('/developer/webhooks', sent).expect(200);
    expect(body.warnings).toEqual([warnings[0], expect.stringMatching(/no placeholder/)]);
    for (const known of [{ token: 't' }, { _method: '' }, { access_token: 'x' }, { status: null, secret: '' }])
      for (const request of [account.post('/developer/webhooks', webhookInput(known)), account.patch(path, known)])
        expect((await request.expect(200)).body).not.toHaveProperty('warnings');
  });
});

describe('warnings of templates', () => {
  const constant = 'The payload has no placeholder: every callback has the same body.';
  const encoded = (field: string) =>
    `The ${field} has %7B%7B, which is not a placeholder. Write {{ and }} as they are.`;
  const strayBraces = 'The payload has {{ that begins no placeholder. A placeholder is written {{name}}.';
  const foreign = (found: string) =>
    `The uri has ${found}, which is not a placeholder: it is sent as it is. A placeholder is written {{name}}.`;
  const composed = 'https://example.com/?id={{id}}';

  test('report probable mistakes, on create, PUT and PATCH', async () => {
    for (const [fields, warnings] of [
      [{ payload: {} }, [constant]],
      [{ payload: { text: 'hello' } }, [constant]],
      [{ payload: {}, uri: composed }, undefined],
      [{ uri: 'https://example.com/?id=%7b%7Bid%7D%7D' }, [encoded('uri')]],
      [{ payload: { a: '%7B%7Bid%7D%7D', b: '{{id}}' } }, [encoded('payload')]],
      [{ payload: { a: '{{nothing}}', b: '{{payload.id}}' } }, ['{{nothing}} is unknown']],
      [{ payload: { id: '{{id}}' } }, undefined],
      [{ payload: { id: '{{id}}', text: 'Hello {{ name' } }, [strayBraces]],
      [{ uri: 'https://example.com/dlr/{mobile}' }, [foreign('{mobile}')]],
      [{ uri: 'https://example.com/?to=%0&status=%1' }, [foreign('%0')]],
      [{ uri: 'https://example.com/?to={{mobile}}&json={x}&a=%20' }, undefined],
      [{}, undefined],
    ] as const) {
      const { body: made } = await account.post('/developer/webhooks', webhookInput(fields)).expect(200);
      const path = `/developer/webhooks/${made.data.id}`;
      const answers = [made, (await account.put(path, webhookInput(fields))).body];
      answers.push((await account.patch(path, webhookInput(fields))).body);
      for (const body of answers) {
        expect([fields, body.code, body.warnings]).toEqual([fields, 200, warnings]);
        expect('warnings' in body).toBe(warnings !== undefined);
      }
      expect(made.data.payload).toEqual('payload' in fields ? fields.payload : undefined);
    }
  });

  test('depend on the subscribed events of the webhook', async () => {
    const fields = { payload: { id: '{{id}}', rcs: '{{payload.id}}' } };
    const { id } = await makeWebhook(account, fields);
    const edit = async () => (await account.put(`/developer/webhooks/${id}`, webhookInput(fields)).expect(200)).body;
    expect(await edit()).not.toHaveProperty('warnings');
    const subscribe = (event: string) =>
      account.post('/developer/subscriptions', { event, webhook_id: id }).expect(200);
    await subscribe('sms:message:status');
    expect((await edit()).warnings).toEqual(['{{payload.id}} is unknown']);
    await subscribe('rcs:message:in');
    expect(await edit()).not.toHaveProperty('warnings');
  });

  test('name placeholders that are unknown in every event', async () => {
    const withUnknown = webhookInput({
      uri: 'https://example.com/?a={{id}}&b={{idd}}',
      payload: { c: '{{payload.too}}' },
    });
    const made = await account.post('/developer/webhooks', withUnknown).expect(200);
    const warnings = ['{{idd}} is unknown', '{{payload.too}} is unknown'];
    expect(made.body.warnings).toEqual(warnings);
    expect(made.body.data).not.toHaveProperty('warnings');
    const path = `/developer/webhooks/${made.body.data.id}`;
    expect((await account.put(path, withUnknown).expect(200)).body.warnings).toEqual(warnings);

    const template = { a: '{{payload.submit_time}} {{payload.message.payload.caption}}', b: '{{payload.mobile}}' };
    const withoutUnknown = webhookInput({ uri: 'https://example.com/?a={{id}}', payload: template });
    expect(Object.keys((await account.put(path, withoutUnknown).expect(200)).body)).toEqual([
      'status',
      'code',
      'message',
      'data',
    ]);
  });
});
