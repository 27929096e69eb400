import { randomUUID } from 'node:crypto';

export const sampleKinds = ['sms', 'rcs-status', 'rcs-in'] as const;
export type SampleKind = (typeof sampleKinds)[number];

/** An event as a platform publishes it. In a queue, `event` is the name of the job and the rest is its data. */
export type EventSample = {
  event: 'sms:message:status' | 'rcs:message:status' | 'rcs:message:in';
  account_id?: string;
  webhook_id?: string;
  identity?: string;
  payload: Record<string, unknown>;
};

type Ids = { accountId?: string | undefined; webhookId?: string | undefined; identity?: string | undefined };

/**
 * Creates an event like the example of its kind in docs/reference/events.md, with a new message id and times shortly
 * before `now`.
 */
export function sampleEvent(kind: SampleKind, { accountId, webhookId, identity }: Ids, now = new Date()): EventSample {
  return {
    ...factories[kind](now),
    ...(accountId === undefined ? {} : { account_id: accountId }),
    ...(webhookId === undefined ? {} : { webhook_id: webhookId }),
    ...(identity === undefined ? {} : { identity }),
  };
}

const factories: Record<SampleKind, (now: Date) => EventSample> = {
  sms: (now) => ({ event: 'sms:message:status', payload: smsReport(now) }),
  'rcs-status': (now) => ({ event: 'rcs:message:status', payload: rcsStatus(now) }),
  'rcs-in': () => ({ event: 'rcs:message:in', payload: rcsInbound() }),
};

const formatTime = (time: Date) => time.toISOString().slice(0, 19).replace('T', ' ');
const formatSeconds = (time: Date) => String(Math.floor(time.getTime() / 1000));

function smsReport(now: Date) {
  const sent = new Date(now.getTime() - 5_000);
  const submitted = new Date(now.getTime() - 4_000);
  return {
    id: `${randomUUID()}:1`,
    mobile: '918921269000',
    status: 'DELIVRD',
    credits: '2.0000',
    units: 2,
    deliv_time: formatTime(now),
    sent_time: formatTime(sent),
    submit_time: formatTime(submitted),
    deliv_at: formatSeconds(now),
    sent_at: formatSeconds(sent),
    submit_at: formatSeconds(submitted),
    cid: 'campaign-7',
    custom: 'order-1042',
  };
}

function rcsStatus(now: Date) {
  return {
    id: randomUUID(),
    channel: 'rcs',
    from: 'demo_agent',
    to: '918921269000',
    status: 'read',
    delivered_at: new Date(now.getTime() - 2_000).toISOString(),
    read_at: now.toISOString(),
    processed_at: new Date(now.getTime() - 4_000).toISOString(),
    timestamp: now.toISOString(),
    foreign_id: 'order-1042',
  };
}

function rcsInbound() {
  const user = {
    id: '41',
    identifier_id: '7',
    subscriber_id: '99',
    identity: '918921269000',
    username: 'asha',
    first_name: 'Asha',
    middle_name: '',
    last_name: 'Nair',
    email: 'asha@example.com',
    phone: '918921269000',
    attributes: '',
    user_info: { picture: '', gender: '', title: '' },
  };
  return {
    id: randomUUID(),
    channels: [{ name: 'rcs', to: '918921260001' }],
    recipient: { from: '918921269000', user },
    message: { type: 'text', payload: { text: 'Yes, tomorrow at ten suits me.' } },
  };
}
