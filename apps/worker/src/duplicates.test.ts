import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { listNewestDeliveries, listNewestEvents } from '@ringback/ledger';
import { backends, until } from '@ringback/testing';
import { startTestbed, type Testbed } from './worker.fixture.js';

type Report = { event: string; payload: { id: string; [field: string]: unknown }; event_id?: string };

const sms = (fields: object): Report => ({ event: 'sms:message:status', payload: { id: 'm-1', ...fields } });
const status = (fields: object): Report => ({ event: 'rcs:message:status', payload: { id: 'm-2', ...fields } });
const inbound = (text: string): Report => ({
  event: 'rcs:message:in',
  payload: { id: 'm-3', message: { type: 'text', payload: { text } } },
});

describe.each(backends)('events in a queue of $name', ({ name }) => {
  let testbed: Testbed;
  let metricsUrl: string;
  beforeAll(async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    metricsUrl = `http://127.0.0.1:${port}/metrics`;
    testbed = await startTestbed(name, { healthPort: port });
  });
  afterAll(async () => {
    await testbed.close();
    expect(testbed.errors).toEqual([]);
  });

  const push = async (webhookId: string, ...reports: Report[]) => {
    for (const { event, ...data } of reports) {
      const job = { name: event, data: { webhook_id: webhookId, ...data } };
      await testbed.queues.pushEvents(event.startsWith('sms') ? 'sms' : 'rcs', [job]);
    }
  };
  const counter = async (series: string) =>
    Number(
      (await (await fetch(metricsUrl)).text())
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')[1],
    );
  const duplicateCount = () => counter('ringback_events_total{state="duplicate"}');
  const conflictCount = () => counter('ringback_events_conflicting_total');
  /** A webhook with a path of its own, and the payloads that were sent to it. */
  const makeWebhook = async () => {
    const path = `/${randomUUID()}`;
    const { id } = await testbed.makeWebhook({ uri: `${testbed.receiver.origin}${path}` });
    const payloadsSent = () =>
      testbed.receiver.calls
        .filter((call) => call.path === path)
        .map(({ body }) => JSON.parse(body.toString()))
        .map((body) => body.payload ?? body);
    return { webhookId: id, payloadsSent };
  };
  const loggedAbout = (lines: unknown[][], eventId: string) =>
    lines.filter(([, fields]) => Reflect.get(Object(fields), 'event_id') === eventId);

  test.each<[string, Report, Report]>([
    ['in the part of the message', sms({ status: 'DELIVRD', part: 1 }), sms({ status: 'DELIVRD', part: 2 })],
    ['in the error of one status', sms({ status: 'UNDELIV', err: '1' }), sms({ status: 'UNDELIV', err: '11' })],
    ['in the text of an inbound message', inbound('yes'), inbound('no')],
    [
      'in the time of reading',
      status({ status: 'read', read_at: '2026-01-15T09:32:07Z' }),
      status({ status: 'read', read_at: '2026-01-15T09:32:08Z' }),
    ],
  ])('that have the same message id and differ only %s are all sent', async (_difference, first, second) => {
    const before = await duplicateCount();
    const { webhookId, payloadsSent } = await makeWebhook();
    await push(webhookId, first, second);
    await until(() => payloadsSent().length >= 2);
    // The order of callbacks is not promised.
    const sent = payloadsSent();
    expect(sent).toHaveLength(2);
    expect(sent).toEqual(expect.arrayContaining([first.payload, second.payload]));
    expect(await duplicateCount()).toBe(before);
  });

  test('that are the same are sent once; the log, the counter and the list show the duplicate', async () => {
    const [before, conflictsBefore] = [await duplicateCount(), await conflictCount()];
    const { webhookId, payloadsSent } = await makeWebhook();
    const report = sms({ status: 'DELIVRD' });
    await push(webhookId, report);
    await testbed.waitForDelivery({ webhookId }, 'delivered');
    await push(webhookId, report);
    await until(async () => (await duplicateCount()) > before);

    const filter = { state: 'duplicate', accountId: testbed.account.id, messageId: 'm-1' } as const;
    const listed = await listNewestEvents(testbed.db, filter, { limit: 10 });
    const [event] = listed.filter((row) => row.webhookId === webhookId);
    expect(event).toMatchObject({ state: 'routed', duplicateCount: 1, lastDuplicateAt: expect.any(Date) });
    const fields = { event_id: event?.id, event: report.event };
    expect(loggedAbout(testbed.notices, String(event?.id)).filter(([line]) => line === 'event.ingested')).toEqual([
      ['event.ingested', { ...fields, state: 'routed' }],
      ['event.ingested', { ...fields, state: 'duplicate' }],
    ]);
    expect(loggedAbout(testbed.warnings, String(event?.id))).toEqual([]);
    expect([await duplicateCount(), await conflictCount()]).toEqual([before + 1, conflictsBefore]);
    expect(payloadsSent()).toEqual([report.payload]);
    expect(await listNewestDeliveries(testbed.db, { webhookId, limit: 9 })).toHaveLength(1);
  });

  test('that have one event_id and other contents are sent once, with a warning, and counted as conflicts', async () => {
    const [before, conflictsBefore] = [await duplicateCount(), await conflictCount()];
    const { webhookId, payloadsSent } = await makeWebhook();
    const first = { ...sms({ status: 'ENROUTE' }), event_id: 'e-1' };
    await push(webhookId, first);
    await testbed.waitForDelivery({ webhookId }, 'delivered');
    await push(webhookId, { ...sms({ status: 'DELIVRD' }), event_id: 'e-1' });
    await until(async () => (await conflictCount()) > conflictsBefore);

    expect([await duplicateCount(), await conflictCount()]).toEqual([before + 1, conflictsBefore + 1]);
    const [event] = (await listNewestEvents(testbed.db, { state: 'duplicate' }, { limit: 10 })).filter(
      (row) => row.webhookId === webhookId,
    );
    expect(event).toMatchObject({ platformEventId: 'e-1', duplicateCount: 1, payload: JSON.stringify(first.payload) });
    expect(loggedAbout(testbed.warnings, String(event?.id))).toEqual([
      [
        'event.conflicting',
        {
          event_id: event?.id,
          event: first.event,
          reason: 'its event_id is that of an event with other contents',
        },
      ],
    ]);
    expect(payloadsSent()).toEqual([first.payload]);
  });
});
