import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { parseAllowList } from '@ringback/rules';
import { errorBody, makeWebhook, startApi, type TestAccount, type TestApi, webhookInput } from '../api.fixture.js';

let api: TestApi;
let account: TestAccount;
beforeAll(async () => void (api = await startApi()));
afterAll(() => api.close());
beforeEach(async () => void (account = await api.makeAccount()));

/** Expects that creating and editing a webhook with these fields are refused with these errors. */
async function expectRefusal(fields: object, errors: Record<string, string[]>) {
  const { id } = await makeWebhook(account);
  const answers = [
    await account.post('/developer/webhooks', webhookInput(fields)),
    await account.put(`/developer/webhooks/${id}`, webhookInput(fields)),
  ];
  const [first] = Object.values(errors).flat();
  for (const { status, body } of answers) {
    expect(status).toBe(422);
    expect(body).toEqual(errorBody(422, 'ValidationError', first, errors));
  }
  const { body } = await account.get('/developer/webhooks');
  expect(body.meta.total).toBe(1);
}

describe('name', () => {
  test.each([
    ['absent', undefined],
    ['null', null],
    ['empty', ''],
    ['blank', ' \t\n '],
  ])('that is %s is refused as required', (_kind, name) =>
    expectRefusal({ name }, { name: ['The name field is required.'] }),
  );

  test.each([[1], [true], [['orders']], [{ a: 1 }]])('%j is refused, because it is not a string', (name) =>
    expectRefusal({ name }, { name: ['The name field must be a string.'] }),
  );

  test('of 256 characters is refused', () =>
    expectRefusal({ name: 'x'.repeat(256) }, { name: ['The name field must not be greater than 255 characters.'] }));

  test.each([
    ['NUL', 'a\0b'],
    ['a lone surrogate', 'a\ud800b'],
  ])('with %s is refused', (_character, name) =>
    expectRefusal({ name }, { name: ['The name field holds a character that is not allowed.'] }),
  );

  test.each([['x'.repeat(255)], ['🙂'.repeat(255)], [`  ${'x'.repeat(255)}  `], ['x'], ['0']])(
    '%s is fine',
    async (name) => {
      expect(await makeWebhook(account, { name })).toMatchObject({ name: name.trim() });
    },
  );
});

const refusedUri = (message: string) => (uri: unknown) => expectRefusal({ uri }, { uri: [message] });

test('secret and token with a space at either end are refused', async () => {
  for (const [field, value] of [
    ['secret', ' s'],
    ['secret', 's '],
    ['secret', ' '],
    ['token', ' t'],
    ['token', 't t '],
  ] as const) {
    const message = `The ${field} field must not begin or end with a space.`;
    const { status, body } = await account.post('/developer/webhooks', webhookInput({ [field]: value }));
    expect([status, body]).toEqual([422, errorBody(422, 'ValidationError', message, { [field]: [message] })]);
  }
  expect(await makeWebhook(account, { secret: 'a b', token: 'c' })).toMatchObject({ secret: 'a b' });
});

describe('uri', () => {
  test.each([[undefined], [null], ['']])('%j is refused as required', refusedUri('The uri field is required.'));

  test.each([[1], [true], [['https://example.com']], [{}]])(
    '%j is refused, because it is not a string',
    refusedUri('The uri field must be a string.'),
  );

  test.each([
    ['example.com'],
    ['/in'],
    ['//example.com/in'],
    ['https://'],
    ['https:example.com'],
    ['https:///example.com'],
    ['ftp://example.com/in'],
    ['javascript:alert(1)'],
    ['file:///etc/passwd'],
    ['not a url'],
    ['http://exa mple.com'],
    ['https://example.com:99999/'],
    ['https://[::1'],
    ['https://example.com\\@evil.example/'],
  ])('%s is refused, because it is not a valid URL', refusedUri('The uri field must be a valid URL.'));

  test.each([
    ['https://example.com/a b'],
    ['https://example.com/in?a=b c'],
    ['https://example.com/\r\nX-Injected: 1'],
    ['https://example.com/\u00a0x'],
    ['https://example.com/\0'],
    ['https://example.com/\ud800'],
  ])(
    '%j is refused for its white space, control character or lone surrogate',
    refusedUri('The uri field must be a valid URL.'),
  );

  test.each([['https://@example.com/'], ['https://:@example.com/']])(
    '%s is refused, because it has @ without a user',
    refusedUri('The uri field must be a valid URL.'),
  );

  test.each([['https://example.com/#x'], ['https://example.com/?a=b#'], ['https://example.com/?a={{id}}#/?{x}']])(
    '%s is kept with its fragment',
    async (uri) => expect(await makeWebhook(account, { uri })).toMatchObject({ uri }),
  );

  test('is trimmed, on create, PUT and PATCH', async () => {
    const uri = 'https://example.com/in?id={{ id }}';
    const { id, ...made } = await makeWebhook(account, { uri: `\t ${uri} \n` });
    expect(made).toMatchObject({ uri });
    const path = `/developer/webhooks/${id}`;
    for (const method of ['put', 'patch'] as const)
      expect((await account[method](path, webhookInput({ uri: ` ${uri} ` }))).body.data.uri).toBe(uri);
  });

  test('of white space alone is required', () =>
    expectRefusal({ uri: ' \n ' }, { uri: ['The uri field is required.'] }));

  test.each([
    ['https://example.com/in?id={{ i d }}'],
    ['https://example.com/?to={{mobile'],
    ['https://example.com/{{id'],
  ])(
    '%s is refused: its braces form no placeholder',
    refusedUri('The uri field has braces that form no placeholder. A placeholder is written {{name}}.'),
  );

  test('has a placeholder in a path segment', async () => {
    const uri = 'https://example.com/dlr/{{mobile}}.json?status={{status}}';
    expect(await makeWebhook(account, { uri })).toMatchObject({ uri });
  });

  test.each([['http://example.com:81/'], ['https://example.com:444/'], ['https://example.com:10081/']])(
    '%s is accepted: no browser blocks its port',
    async (uri) => expect(await makeWebhook(account, { uri })).toMatchObject({ uri }),
  );

  test.each([['http://example.com:25/'], ['https://example.com:6000/'], ['https://example.com:0/']])(
    '%s is refused for its port',
    refusedUri('The uri field has a port that is not allowed.'),
  );

  test.each([
    ['https://{{host}}/in'],
    ['https://{{host}}.example.com/in'],
    ['https://example.com{{id}}/in'],
    ['https://example.com/in#{{id}}'],
    ['https://{{id}}:{{id}}@example.com/in'],
    ['https://example.com/in?{{id}}=1'],
    ['https://example.com/in?{{id}}'],
    ['https://example.com:{{port}}/'],
    ['{{uri}}'],
    ['https://example.com/in?a=1&{{id}}=2'],
  ])(
    '%s is refused: placeholders stand in path segments and query values only',
    refusedUri('The uri field may have placeholders in path segments and in values of query parameters only.'),
  );

  test.each([
    ['http://127.0.0.1/'],
    ['http://localhost:4000/in'],
    ['http://LOCALHOST/'],
    ['http://2130706433/'],
    ['http://0x7f.1/'],
    ['http://0.0.0.0/'],
    ['http://10.1.2.3/'],
    ['http://172.16.0.1/'],
    ['http://192.168.0.1/'],
    ['http://169.254.169.254/latest/meta-data/'],
    ['http://100.64.0.1/'],
    ['http://[::1]/'],
    ['http://[::ffff:127.0.0.1]/'],
    ['http://[fd00::1]/'],
    ['http://[fe80::1]/'],
    ['http://printer.local/'],
    ['http://intranet/'],
  ])('%s is refused for its address', refusedUri('The uri field has an address that is not allowed.'));

  test('of 8,193 characters is refused, one of 8,192 is accepted', async () => {
    const start = 'https://example.com/?q=';
    const longest = start + 'x'.repeat(8_192 - start.length);
    expect(await makeWebhook(account, { uri: longest })).toMatchObject({ uri: longest });
    const { body } = await account.post('/developer/webhooks', webhookInput({ uri: `${longest}x` }));
    const message = 'The uri field must not be greater than 8192 characters.';
    expect(body).toEqual(errorBody(422, 'ValidationError', message, { uri: [message] }));
  });

  test('with a name that does not resolve is accepted: creation does not use DNS', async () => {
    const uri = 'https://does-not-resolve.invalid/in';
    expect(await makeWebhook(account, { uri })).toMatchObject({ uri });
  });

  test.each([
    ['http://127.0.0.1:4000/in'],
    ['http://localhost:4000/'],
    ['http://127.8.9.1/?id={{id}}'],
    ['http://[::1]:9999/'],
  ])('%s is accepted if EGRESS_ALLOWED_CIDRS contains loopback; 10.0.0.1 is refused', async (uri) => {
    const local = await api.variant({ egressAllowList: parseAllowList('127.0.0.0/8,::1/128') });
    const client = local.clientOf(account.token);
    expect(await makeWebhook(client, { uri })).toMatchObject({ uri });
    const { status } = await client.post('/developer/webhooks', webhookInput({ uri: 'http://10.0.0.1/' }));
    expect(status).toBe(422);
  });
});

describe('status', () => {
  test.each([[2], [-1], [0.5], ['yes'], ['2'], ['active'], [' '], ['01'], [' 1'], ['1.0'], [[]], [[1]], [{}]])(
    '%j is refused',
    (status) => expectRefusal({ status }, { status: ['The selected status is invalid.'] }),
  );
});

describe.each(['secret', 'token'])('%s', (field) => {
  const refuse = async (value: unknown, message: string) => {
    const { status, body } = await account.post('/developer/webhooks', webhookInput({ [field]: value }));
    expect(status).toBe(422);
    expect(body).toEqual(errorBody(422, 'ValidationError', message, { [field]: [message] }));
  };

  test.each([[1], [true], [['a']], [{}]])('%j is refused, because it is not a string', (value) =>
    refuse(value, `The ${field} field must be a string.`),
  );

  test.each([['pässword'], ['a\nb'], ['a\0b'], ['a\x7f'], ['🙂'], ['a\tb']])('%j is refused', (value) =>
    refuse(value, `The ${field} field must only contain printable ASCII characters.`),
  );

  test('of 256 characters is refused, one of 255 is accepted', async () => {
    await refuse('x'.repeat(256), `The ${field} field must not be greater than 255 characters.`);
    const shown = field === 'token' ? 'verification_code' : field;
    const webhook = await makeWebhook(account, { [field]: '~'.repeat(255) });
    expect(webhook[shown]).toBe('~'.repeat(255));
  });
});

describe('payload and signing', () => {
  test.each([[1], ['{}'], [true], [[]], [[{ a: 1 }]]])('a payload %j is refused', (payload) =>
    expectRefusal({ payload }, { payload: ['The payload field must be an object.'] }),
  );

  test('a payload of more than 16 KiB is refused, one of 16 KiB is accepted', async () => {
    const largest = { a: 'x'.repeat(16 * 1024 - '{"a":""}'.length) };
    expect(await makeWebhook(account, { payload: largest })).toMatchObject({ payload: largest });
    const { body } = await account.post('/developer/webhooks', webhookInput({ payload: { a: `${largest.a}x` } }));
    const message = 'The payload field must not be greater than 16 kilobytes.';
    expect(body).toEqual(errorBody(422, 'ValidationError', message, { payload: [message] }));
  });

  test.each([[{ 'a\0': 1 }], [{ a: ['\0'] }], [{ a: { b: '\ud800' } }]])('a payload %j is refused', (payload) =>
    expectRefusal({ payload }, { payload: ['The payload field holds a character that is not allowed.'] }),
  );

  test('a payload that is nested 40 levels deep is refused', () => {
    const payload = JSON.parse('{"a":'.repeat(40) + '1' + '}'.repeat(40));
    return expectRefusal({ payload }, { payload: ['The payload field must not be nested more than 32 levels deep.'] });
  });

  test.each([[1], [0], ['false'], [{}]])('signing %j is refused', (signing) =>
    expectRefusal({ signing }, { signing: ['The signing field must be true or false.'] }),
  );
});

describe('a body with several errors', () => {
  test('gets all of them, the first one in the message with the number of the others', async () => {
    const sent = { name: '', uri: 'x', status: 7, secret: 1, token: 2 };
    const { body } = await account.post('/developer/webhooks', sent);
    expect(body).toEqual({
      status: 'ValidationError',
      code: 422,
      message: 'The name field is required. (and 4 more errors)',
      errors: {
        name: ['The name field is required.'],
        uri: ['The uri field must be a valid URL.'],
        status: ['The selected status is invalid.'],
        secret: ['The secret field must be a string.'],
        token: ['The token field must be a string.'],
      },
    });
  });

  test.each([['{}'], ['']])('%j has no fields: name and uri are required', async (sent) => {
    const { status, body } = await account.post('/developer/webhooks', sent);
    expect(status).toBe(422);
    expect(body).toEqual({
      status: 'ValidationError',
      code: 422,
      message: 'The name field is required. (and 1 more error)',
      errors: { name: ['The name field is required.'], uri: ['The uri field is required.'] },
    });
  });

  test('no body at all: name and uri are required', async () => {
    const { body } = await account.post('/developer/webhooks');
    expect(body.message).toBe('The name field is required. (and 1 more error)');
  });
});

describe('a rate limit', () => {
  test('is shown when it is set, kept by an edit without it, and cleared by null', async () => {
    const webhook = await makeWebhook(account, { rate_limit: 5 });
    expect(webhook.rate_limit).toBe(5);
    const edit = async (fields: object) =>
      (await account.put(`/developer/webhooks/${webhook.id}`, webhookInput(fields)).expect(200)).body.data;
    expect((await edit({})).rate_limit).toBe(5);
    expect((await edit({ rate_limit: 1_000 })).rate_limit).toBe(1_000);
    expect(await edit({ rate_limit: null })).not.toHaveProperty('rate_limit');
    expect(await makeWebhook(account, { rate_limit: null })).not.toHaveProperty('rate_limit');
  });

  test.each([[0], [1_001], [-1], [1.5], ['5'], [true], [{}]])('of %j is refused', async (limit) => {
    const { body } = await account.post('/developer/webhooks', webhookInput({ rate_limit: limit }));
    const message = 'The rate limit field must be an integer between 1 and 1000.';
    expect(body).toEqual(errorBody(422, 'ValidationError', message, { rate_limit: [message] }));
  });
});
