import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import http from 'node:http';
import { PassThrough } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { constants, createBrotliCompress, createDeflate, createGzip, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { WakeUpListener, listRejectedEvents } from '@ringback/ledger';
import { until } from '@ringback/testing';
import {
  type Client,
  errorBody,
  makeWebhook,
  startApi,
  subscribeMany,
  type TestAccount,
  type TestApi,
  uuid,
} from '../api.fixture.js';

let api: TestApi;
let account: TestAccount;
let platform: Client;
beforeAll(async () => {
  api = await startApi();
  platform = await api.makePlatform();
});
afterAll(() => api.close());
beforeEach(async () => void (account = await api.makeAccount()));

const sms = (fields: object = {}, payload: object = {}) => ({
  event: 'sms:message:status',
  account_id: account.id,
  payload: { id: 'b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1', mobile: '918921269000', status: 'DELIVRD', ...payload },
  ...fields,
});
const push = (body: unknown) => platform.post('/events', body);
const accepted = (...ids: unknown[]) => ({
  status: 'OK',
  code: 202,
  message: 'Accepted',
  data: ids.map((id) => ({ id, state: 'accepted' })),
});
const answered = (...states: [id: unknown, state: string][]) => ({
  ...accepted(),
  data: states.map(([id, state]) => ({ id, state })),
});
const duplicates = (...ids: unknown[]) => answered(...ids.map((id): [unknown, string] => [id, 'duplicate']));
const stored = async () =>
  (await api.db.prisma()).event.findMany({ where: { accountId: account.id }, orderBy: { id: 'asc' } });
const countAll = async () => (await api.db.prisma()).event.count();

describe('pushed events', () => {
  test('one object is accepted with its id, and is durable', async () => {
    const { status, body } = await push(sms());
    expect(status).toBe(202);
    expect(body).toEqual(accepted(uuid));
    expect((await stored()).map(({ id }) => id)).toEqual([body.data[0].id]);
  });

  test('that each go to many webhooks are stored by several statements', async () => {
    await subscribeMany(api, account.id, 100);
    const events = Array.from({ length: 16 }, (_, index) => sms({ event_id: String(index) }));
    const client = (await api.variant({})).clientOf(platform.token);
    const pushAndCount = async (batch: object[]) => {
      const { status, body } = await client.post('/events', batch);
      expect([status, body.data.length]).toEqual([202, batch.length]);
      const { rows: statements } = await api.db.pool.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM deliveries WHERE account_id = $1 GROUP BY xmin::text ORDER BY 1`,
        [account.id],
      );
      return statements.map(({ count }) => count);
    };
    expect(await pushAndCount(events.slice(0, 12))).toEqual([200, 1_000]);
    // The events that are repeated add no deliveries.
    expect(await pushAndCount(events)).toEqual([200, 400, 1_000]);
  });

  test('have deliveries that are due at once and not leased, also when there are many', async () => {
    const { id } = await makeWebhook(account);
    const client = (await api.variant({})).clientOf(platform.token);
    const events = Array.from({ length: 300 }, (_, index) => sms({ webhook_id: id, event_id: String(index) }));
    expect((await client.post('/events', events)).status).toBe(202);
    const where = { webhookId: id, state: 'pending' as const, dueAt: { lte: new Date() }, leaseExpiresAt: null };
    expect(await (await api.db.prisma()).delivery.count({ where })).toBe(300);
  });

  test('wake the workers at once', async () => {
    const heard: string[] = [];
    let isListening = false;
    const listener = new WakeUpListener(api.db, {
      onDue: (due) => void heard.push(...due.map(({ webhookId }) => webhookId)),
      onMissed: () => void (isListening = true),
    });
    await until(() => isListening, 'the test listens');
    const { id } = await makeWebhook(account);
    await push(sms({ webhook_id: id }));
    await until(() => heard.includes(id), 'workers are woken up');
    await listener.stop();
  });

  test('in an array are accepted with an id for each, in their order', async () => {
    const rcs = { event: 'rcs:message:in', account_id: account.id, payload: { id: 'in-1' } };
    const { status, body } = await push([sms(), rcs, sms({ event_id: 'own' })]);
    expect(status).toBe(202);
    expect(body).toEqual(accepted(uuid, uuid, uuid));
    const events = new Map((await stored()).map((event) => [event.id, event]));
    const ids: string[] = body.data.map(({ id }: { id: string }) => id);
    expect(ids.map((id) => events.get(id)?.name)).toEqual([
      'sms:message:status',
      'rcs:message:in',
      'sms:message:status',
    ]);
  });

  test('with an integer payload.id have its digits as their message id', async () => {
    const { id } = await makeWebhook(account);
    const event = (written: string) =>
      `{"event":"sms:message:status","webhook_id":"${id}","payload":{"id":${written},"status":"DELIVRD"}}`;
    const first = await push(event('12345678901234567890'));
    expect(first.status).toBe(202);
    expect((await push(event('12345678901234567890'))).body).toEqual(duplicates(first.body.data[0].id));
    expect((await push(event('12345678901234567891'))).body).toEqual(accepted(uuid));
    const { body, text } = await account.get('/developer/messages/12345678901234567890').expect(200);
    expect(body.data.events).toHaveLength(1);
    expect(text).toContain('"payload":{"id":12345678901234567890,"status":"DELIVRD"}');
  });

  test('in an array of one get a response with an array', async () => {
    expect((await push([sms()])).body).toEqual(accepted(uuid));
  });

  test('with a webhook_id have one delivery, to that webhook', async () => {
    const { id } = await makeWebhook(account);
    const { body } = await push(sms({ webhook_id: id, account_id: undefined }));
    const deliveries = await (await api.db.prisma()).delivery.findMany({ where: { eventId: body.data[0].id } });
    expect(deliveries).toMatchObject([{ webhookId: id, state: 'pending', attemptCount: 0 }]);
  });

  test('that are pushed twice, in two requests or in one, are stored once', async () => {
    const first = await push(sms());
    const [{ id }] = first.body.data;
    const second = await push([sms(), sms({}, { custom: 'differs' }), sms({}, { custom: 'differs' })]);
    const [, { id: other }] = second.body.data;
    expect(second.body).toEqual(answered([id, 'duplicate'], [other, 'accepted'], [other, 'duplicate']));
    expect(await stored()).toMatchObject([
      { id, duplicateCount: 1, lastDuplicateAt: expect.any(Date) },
      { id: other, duplicateCount: 1 },
    ]);
  });

  test('with another status, event_id, webhook, account or name are different events', async () => {
    const { id: webhook } = await makeWebhook(account);
    const other = await api.makeAccount();
    const { body } = await push([
      sms(),
      sms({}, { status: 'UNDELIV' }),
      sms({ event_id: 'a' }),
      sms({ event_id: 'b' }),
      sms({ webhook_id: webhook }),
      sms({ account_id: other.id }),
      sms({ event: 'rcs:message:status' }),
    ]);
    expect(new Set(body.data.map(({ id }: { id: string }) => id)).size).toBe(7);
  });

  test.each<[string, object, object]>([
    ['two parts of a message', { id: 'm', part: 1 }, { id: 'm', part: 2 }],
    ['two errors of one status', { id: 'm', status: 'UNDELIV', err: '1' }, { id: 'm', status: 'UNDELIV', err: '11' }],
    ['two texts', { id: 'm', message: { payload: { text: 'a' } } }, { id: 'm', message: { payload: { text: 'b' } } }],
    [
      'two times of reading',
      { id: 'm', read_at: '2026-01-15T09:32:07Z' },
      { id: 'm', read_at: '2026-01-15T09:32:08Z' },
    ],
  ])('that differ, such as in %s, are all accepted', async (_what, a, b) => {
    const event = (payload: object) => sms({ event: 'rcs:message:in', payload });
    const { body } = await push([event(a), event(b)]);
    expect(body).toEqual(accepted(uuid, uuid));
    expect(body.data[0].id).not.toBe(body.data[1].id);
    expect(await stored()).toHaveLength(2);
  });

  test('are the same in another order of keys, with white space, and as a text', async () => {
    const [{ id }] = (await push(sms({ payload: { id: 'm', a: 1, b: { c: 2, d: 3 } } }))).body.data;
    const payload = ' { "b": {"d": 3, "c": 2}, "a": 1, "id": "m" }';
    expect((await push([sms({ payload: JSON.parse(payload) }), sms({ payload })])).body).toEqual(duplicates(id, id));
    expect((await push(sms({ payload: payload.replace('1,', '1.0,') }))).body).toEqual(accepted(uuid));
  });

  test('with the same event_id are the same event; other contents are a conflict, and all are logged and counted', async () => {
    const conflicts = async () =>
      Number(/^ringback_events_conflicting_total (\d+)/m.exec((await api.raw.get('/metrics')).text)?.[1]);
    const before = await conflicts();
    const { body } = await push([
      sms({ event_id: 'a' }),
      sms({ event_id: 'a' }),
      sms({ event_id: 'a' }, { id: 'other', status: 'x' }),
      sms({ event_id: 'a', identity: 'number:1' }),
    ]);
    const [{ id }] = body.data;
    expect(body).toEqual(answered([id, 'accepted'], [id, 'duplicate'], [id, 'duplicate'], [id, 'duplicate']));
    expect(await conflicts()).toBe(before + 2);
    const about = (name: string) =>
      api.logged.filter(({ words }) => words[0] === name && Reflect.get(Object(words[1]), 'event_id') === id);
    expect(about('event.conflicting').map(({ level }) => level)).toEqual(['warn', 'warn']);
    expect(about('event.ingested').map(({ level, words }) => [level, words[1]])).toEqual(
      ['unrouted', 'duplicate', 'duplicate', 'duplicate'].map((state) => [
        'info',
        { event_id: id, event: 'sms:message:status', state },
      ]),
    );
    expect(await stored()).toMatchObject([{ duplicateCount: 3 }]);
  });

  test('have the Idempotency-Key as their event_id, unless they have one', async () => {
    const pushWithKey = (body: unknown, key = 'key-1') => platform.post('/events', body).set('Idempotency-Key', key);
    const [{ id }] = (await pushWithKey(sms())).body.data;
    expect((await pushWithKey(sms({}, { status: 'x' }))).body).toEqual(duplicates(id));
    expect((await push(sms({ event_id: 'key-1' }))).body).toEqual(duplicates(id));
    expect((await pushWithKey(sms({ event_id: 'own' }))).body).toEqual(accepted(uuid));
    expect((await stored()).map(({ platformEventId }) => platformEventId)).toEqual(['key-1', 'own']);
    for (const [body, key] of [
      [[sms(), sms({}, { status: 'y' })], 'key-2'],
      [sms(), 'x'.repeat(256)],
    ] as const) {
      const refused = await pushWithKey(body, key);
      expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['Idempotency-Key']]);
    }
    expect(await stored()).toHaveLength(2);
  });

  test('that are pushed ten times concurrently are stored once, with one delivery', async () => {
    const { id: webhook } = await makeWebhook(account);
    const answers = await Promise.all(Array.from({ length: 10 }, () => push(sms({ webhook_id: webhook }))));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 202));
    expect(new Set(answers.map(({ body }) => body.data[0].id)).size).toBe(1);
    expect(await (await api.db.prisma()).delivery.count({ where: { webhookId: webhook } })).toBe(1);
    expect(await stored()).toMatchObject([{ duplicateCount: 9 }]);
  });

  test('whose payload is JSON text keep it byte for byte', async () => {
    const payload = '{ "id":"x:1", "credits":"2.0000", "units": 2.0, "n": 12345678901234567890 }';
    await push(sms({ payload })).expect(202);
    expect((await stored()).map((event) => event.payload)).toEqual([payload]);
  });

  test('whose payload is an object keep its text byte for byte, alone and in a batch', async () => {
    const text = (id: string) =>
      `{ "id":"${id}", "credits":2.0000,\n "n": 12345678901234567890, "e":1e2, "2":1,"1":[ ],"a":1,"a":2 }`;
    const event = (id: string) =>
      `{"event":"sms:message:status","payload" : ${text(id)} ,"account_id":"${account.id}"}`;
    await push(event('x:1')).expect(202);
    await push(` [${event('x:2')},\n${JSON.stringify(sms())} , ${event('x:3')}]`).expect(202);
    const payloads = (await stored()).map(({ payload }) => payload);
    expect(payloads.sort()).toEqual([text('x:1'), text('x:2'), text('x:3'), JSON.stringify(sms().payload)].sort());
  });

  test('with unknown fields and types are accepted unchanged', async () => {
    const contents = { id: 'x:1', status: 'DLT-REJECTED', a: null, b: 'null', c: [], units: 2, '{{id}}': '{{id}}' };
    await push(sms({ payload: contents, unknown: 1, identity: null, event_id: null })).expect(202);
    const [event] = await stored();
    expect(JSON.parse(event?.payload ?? '')).toEqual(contents);
  });

  test('whose identity and event_id are empty are the same as without them', async () => {
    const [{ id }] = (await push(sms({ identity: '', event_id: '' }))).body.data;
    expect((await push(sms())).body).toEqual(duplicates(id));
    expect(await stored()).toMatchObject([{ identity: null, platformEventId: null }]);
  });

  test('for an unknown account or webhook are accepted, and listed as rejected', async () => {
    const foreign = await makeWebhook(await api.makeAccount());
    const unknownId = '180ebbb5-9b6f-4c51-a98a-0123456789ab';
    const { status, body } = await push([
      sms({ account_id: unknownId }),
      sms({ webhook_id: unknownId }),
      sms({ webhook_id: foreign.id }),
    ]);
    expect(status).toBe(202);
    expect(body).toEqual(accepted(uuid, uuid, uuid));
    const rejected = (await listRejectedEvents(api.db, { limit: 100 })).map(({ id }) => id);
    expect(rejected).toEqual(expect.arrayContaining(body.data.map(({ id }: { id: string }) => id)));
  });

  test('are accepted up to a thousand in one request', async () => {
    const { status, body } = await push(Array.from({ length: 1_000 }, (_, index) => sms({ event_id: `e${index}` })));
    expect(status).toBe(202);
    expect(new Set(body.data.map(({ id }: { id: string }) => id)).size).toBe(1_000);
    expect(await stored()).toHaveLength(1_000);
  });

  test('of more than 64 KiB and less than 4 MiB are accepted', async () => {
    await push(sms({}, { text: 'x'.repeat(4 * 1024 * 1024 - 1_000) })).expect(202);
  });
});

describe('events that are malformed', () => {
  const refuse = async (body: unknown, errors: object) => {
    const before = await countAll();
    const answer = await push(body);
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({ status: 'ValidationError', code: 422, message: expect.any(String), errors });
    expect(await countAll()).toBe(before);
    return String(answer.body.message);
  };
  const anyMessages = expect.arrayContaining([expect.any(String)]);

  test('one event in a batch makes the whole batch fail, with its index', async () => {
    const message = await refuse([sms(), sms({ event: 'sms:message:in' }), sms({ event_id: 'x' })], {
      '1.event': [expect.stringMatching(/^Event 1: /)],
    });
    expect(message).toMatch(/^Event 1: /);
  });

  test('several events in a batch are all listed', async () => {
    const message = await refuse([7, sms(), sms({ payload: {} }), sms({ account_id: 'x' })], {
      '0.event': anyMessages,
      '2.payload.id': anyMessages,
      '3.account_id': anyMessages,
    });
    expect(message).toMatch(/^Event 0: .* \(and 2 more errors\)$/);
  });

  test.each([
    ['event', { event: undefined }],
    ['event', { event: 'sms' }],
    ['event', { event: null }],
    ['account_id', { account_id: undefined }],
    ['account_id', { account_id: null }],
    ['account_id', { account_id: 'x' }],
    ['account_id', { account_id: 1 }],
    ['webhook_id', { webhook_id: 'x' }],
    ['webhook_id', { webhook_id: '' }],
    ['identity', { identity: 1 }],
    ['identity', { identity: 'x'.repeat(256) }],
    ['identity', { identity: '\0' }],
    ['event_id', { event_id: 5 }],
    ['event_id', { event_id: 'x'.repeat(256) }],
    ['event_id', { event_id: '\ud800' }],
    ['payload', { payload: undefined }],
    ['payload', { payload: null }],
    ['payload', { payload: 'no json' }],
    ['payload', { payload: '[]' }],
    ['payload', { payload: [] }],
    ['payload', { payload: 1 }],
    ['payload.id', { payload: {} }],
    ['payload.id', { payload: { id: '' } }],
    ['payload.id', { payload: { id: 1.5 } }],
    ['payload.id', { payload: { id: 'x'.repeat(256) } }],
    ['payload.id', { payload: { id: '\0' } }],
  ])('by their %s are refused: %j', async (field, fields) => {
    await refuse(sms(fields), { [field]: anyMessages });
  });

  test.each(['null', '1', '"x"', 'true'])('%s is refused with one error', async (body) => {
    const message = 'The request body must be a JSON object.';
    expect(await refuse(body, { body: [message] })).toBe(message);
  });

  test('an empty array is refused', () => refuse([], { events: ['At least one event is required.'] }));

  test('no body is refused', () => refuse(undefined, expect.any(Object)));

  test('an item that is no object is refused with one error', () =>
    refuse([sms(), 'x'], { '1.event': ['Event 1: an event must be an object'] }));

  test('1,001 are refused', async () => {
    const events = Array.from({ length: 1_001 }, (_, index) => sms({ event_id: `e${index}` }));
    await refuse(events, { events: ['A request may have at most 1000 events.'] });
  });

  test('a payload nested too deeply is refused, as an object and as text', async () => {
    const deep = '{"id":"x","a":'.repeat(80) + '1' + '}'.repeat(80);
    await refuse(sms({ payload: JSON.parse(deep) }), { payload: ['payload is nested too deeply'] });
    await refuse(sms({ payload: deep }), { payload: ['payload is nested too deeply'] });
  });

  test('a body of four million brackets is a 400', async () => {
    const { status, body } = await push('['.repeat(2_000_000) + ']'.repeat(2_000_000));
    expect([status, body]).toEqual([400, errorBody(400, 'BadRequest', 'The request body is nested too deeply.')]);
  });

  test('more than 4 MiB is a 413', async () => {
    const { status, body } = await push(sms({}, { text: 'x'.repeat(4 * 1024 * 1024) }));
    expect([status, body]).toEqual([413, errorBody(413, 'PayloadTooLarge', 'The request body is too large.')]);
  });

  test.each([['text/plain'], ['application/jsonl']])('a body of the type %s is a 415', async (type) => {
    const { status, body } = await platform.post('/events').set('Content-Type', type).send('{}');
    expect([status, body.status]).toEqual([415, 'UnsupportedMediaType']);
  });

  test.each([
    ['utf-16le', Buffer.from('{}', 'utf16le'), 415],
    ['UTF-8', Buffer.from('{}'), 422],
    ['latin1', Buffer.from('{}'), 415],
    ['utf-9', Buffer.from('{}'), 415],
  ])('a body in %s, %p, is answered with %i', async (charset, body, code) => {
    const request = platform.post('/events').set('Content-Type', `application/json; charset=${charset}`);
    expect((await request.serialize((raw: unknown) => String(raw)).send(body.toString('latin1'))).status).toBe(code);
  });

  test('a body that is not JSON is a 400', async () => {
    const { status, body } = await push('[{]');
    expect([status, body]).toEqual([400, errorBody(400, 'BadRequest', 'The request body is not valid JSON.')]);
  });
});

describe('events as NDJSON', () => {
  const pushLines = (text: string, client = platform) =>
    client
      .post('/events')
      .set('Content-Type', 'application/x-ndjson')
      .serialize((raw: unknown) => String(raw))
      .buffer(true)
      .parse((response, done) => {
        let received = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => (received += part));
        response.on('end', () => done(null, received));
      })
      .send(text);
  const linesOf = ({ body }: { body: unknown }): Record<string, unknown>[] =>
    String(body)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('are answered line by line; an invalid line fails alone, and a blank one is skipped', async () => {
    const lines = ['\ufeff' + JSON.stringify(sms()), '', '{', JSON.stringify(sms({ payload: {} })), '[]', '7', ' '];
    const answer = await pushLines([...lines, JSON.stringify(sms())].join('\r\n'));
    const [first] = linesOf(answer);
    expect([answer.status, answer.type]).toEqual([202, 'application/x-ndjson']);
    expect(linesOf(answer)).toEqual([
      { line: 1, id: uuid, state: 'accepted' },
      { line: 3, state: 'invalid', errors: { line: ['The line is not valid JSON.'] } },
      { line: 4, state: 'invalid', errors: { 'payload.id': ['payload.id is required'] } },
      { line: 5, state: 'invalid', errors: { event: ['an event must be an object'] } },
      { line: 6, state: 'invalid', errors: { event: ['an event must be an object'] } },
      { line: 8, id: first?.id, state: 'duplicate' },
    ]);
    expect(await stored()).toHaveLength(1);
  });

  test('are stored up to 10,000 lines, and the next line is refused', async () => {
    const text = Array.from({ length: 10_003 }, (_, index) => JSON.stringify(sms({ event_id: `e${index}` }))).join(
      '\n',
    );
    const lines = linesOf(await pushLines(text));
    expect(
      lines.slice(0, 10_000).every(({ state }, index) => state === 'accepted' && lines[index]?.line === index + 1),
    ).toBe(true);
    const message = 'A request may have at most 10000 lines. This one and those after it were not read.';
    expect(lines.slice(10_000)).toEqual([{ line: 10_001, state: 'refused', errors: { body: [message] } }]);
    expect(await stored()).toHaveLength(10_000);
  });

  test('may have more than 4 MiB together, but not in one line', async () => {
    const large = (id: string, length: number) => JSON.stringify(sms({ event_id: id }, { text: 'x'.repeat(length) }));
    const lines = linesOf(await pushLines([large('a', 3e6), large('b', 5e6), large('c', 3e6)].join('\n') + '\n'));
    expect(lines.map(({ state }) => state)).toEqual(['accepted', 'invalid', 'accepted']);
  });

  test('without a line, or with an Idempotency-Key, are a 422', async () => {
    expect((await pushLines('\n\n')).status).toBe(422);
    expect((await pushLines(JSON.stringify(sms())).set('Idempotency-Key', 'x')).status).toBe(422);
    expect(await stored()).toEqual([]);
  });

  const compressors = {
    identity: () => new PassThrough(),
    gzip: () => createGzip({ flush: constants.Z_SYNC_FLUSH }),
    deflate: () => createDeflate({ flush: constants.Z_SYNC_FLUSH }),
    br: () => createBrotliCompress({ flush: constants.BROTLI_OPERATION_FLUSH }),
  };
  /** Starts a request that sends what is written to `body`. */
  const startRequest = (encoding: keyof typeof compressors) => {
    const request = http.request({ port: api.port, path: '/api/v2/events', method: 'POST' });
    request.setHeader('Authorization', `Bearer ${platform.token}`);
    request.setHeader('Content-Type', 'application/x-ndjson');
    request.setHeader('Content-Encoding', encoding);
    const body = compressors[encoding]();
    body.pipe(request);
    return { request, body };
  };
  const numbered = (count: number) =>
    Array.from({ length: count }, (_, index) => `${JSON.stringify(sms({ event_id: `e${index}` }))}\n`);

  test.each(['gzip', 'deflate', 'br'] as const)('are read from a body in %s', async (encoding) => {
    const { request, body } = startRequest(encoding);
    body.end(numbered(1_200).join(''));
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    const lines = linesOf({ body: await readText(response) });
    expect(response.statusCode).toBe(202);
    expect(lines.map(({ line, state }) => [line, state])).toEqual(lines.map((_, index) => [index + 1, 'accepted']));
    expect(await stored()).toHaveLength(1_200);
  });

  test('in a body that is not in its content encoding, or not whole, are a 400', async () => {
    const whole = gzipSync(numbered(3).join(''));
    for (const bytes of [Buffer.from(numbered(3).join('')), whole.subarray(0, -9)]) {
      const { request, body } = startRequest('identity');
      request.setHeader('Content-Encoding', 'gzip');
      body.end(bytes);
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      expect([response.statusCode, JSON.parse(await readText(response))]).toEqual([
        400,
        errorBody(400, 'BadRequest', 'The request is malformed.'),
      ]);
    }
    expect(await stored()).toEqual([]);
  });

  test.each(['identity', 'gzip'] as const)(
    'whose client aborts in the middle of a body in %s are stored up to there; a repeat stores the others',
    async (encoding) => {
      const lines = numbered(800);
      let received: http.IncomingMessage | undefined;
      const keep = (message: unknown) => void (received = Reflect.get(Object(message), 'request'));
      diagnostics.subscribe('http.server.request.start', keep);
      const failures = () => api.logged.filter(({ level }) => level === 'error');
      const before = failures();
      const { request, body } = startRequest(encoding);
      request.on('error', () => undefined);
      // The rest arrives, without a whole batch.
      body.write(lines.slice(0, 500).join(''));
      await until(async () => (await stored()).length === 500, 'the first batch is stored');
      diagnostics.unsubscribe('http.server.request.start', keep);
      body.write(lines.slice(500, 600).join('') + lines[600]?.slice(0, 40));
      request.destroy();
      await until(() => received?.destroyed);
      expect(await stored()).toHaveLength(500);
      const again = linesOf(await pushLines(lines.join('')));
      expect(again.map(({ state }) => state)).toEqual(again.map((_, i) => (i < 500 ? 'duplicate' : 'accepted')));
      expect(await stored()).toHaveLength(800);
      expect(failures()).toEqual(before);
    },
  );

  test('that come while the database goes away have `failed` from then on, and can be pushed again', async () => {
    await api.db.pool.query(`
      CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'gone' USING ERRCODE = '57P01'; END $$;
      CREATE TRIGGER lose BEFORE INSERT ON events FOR EACH ROW WHEN (NEW.platform_event_id = 'e700') EXECUTE FUNCTION lose();`);
    const text = Array.from({ length: 1_200 }, (_, index) => JSON.stringify(sms({ event_id: `e${index}` }))).join('\n');
    const lines = linesOf(await pushLines(text));
    await api.db.pool.query('DROP TRIGGER lose ON events; DROP FUNCTION lose');
    expect(lines.map(({ state }) => state)).toEqual(lines.map((_, index) => (index < 500 ? 'accepted' : 'failed')));
    const again = linesOf(await pushLines(text)).map(({ state }) => state);
    expect(again).toEqual(again.map((_, index) => (index < 500 ? 'duplicate' : 'accepted')));
    expect(await stored()).toHaveLength(1_200);
  });
});
