import { type Command, Option } from 'commander';
import { sentRequest } from '@ringback/callbacks';
import {
  type Database,
  type Delivery,
  type DeliveryDetail,
  findDelivery,
  findDeliveryOwner,
  findEvent,
  listDeliveries,
} from '@ringback/database';
import { resend } from '@ringback/intake';
import { StartError } from '@ringback/runtime';
import { requireAccount } from './account.js';
import { withConnections } from './connect.js';
import { parseId } from './id.js';
import { limitOption, newest } from './limit.js';
import { print, printLine } from './output.js';
import { requireWebhook } from './webhook.js';

type Options = {
  account?: string;
  webhook?: string;
  event?: string;
  state?: Delivery['state'];
  limit: number;
  json?: boolean;
};

/** `delivery list|show|resend`. */
export function addDeliveryCommands(program: Command): void {
  const delivery = program.command('delivery').description('callbacks, each one event to one webhook');
  delivery
    .command('list')
    .description('list deliveries with their attempts, newest first')
    .option('--account <id>', 'of this account', parseId)
    .option('--webhook <id>', 'to this webhook', parseId)
    .option('--event <id>', 'of this event', parseId)
    .addOption(new Option('--state <state>', 'in this state').choices(['pending', 'delivered', 'failed', 'skipped']))
    .addOption(limitOption())
    .option('--json', 'print one JSON document')
    .action(list);
  delivery
    .command('show')
    .description('show a delivery, and each attempt as it went over the wire')
    .argument('<id>', 'id of the delivery', parseId)
    .option('--json', 'print one JSON document')
    .action(show);
  delivery
    .command('resend')
    .description('send a delivery again, with its webhook as it is now; a pending one gets its next attempt now')
    .argument('<id>', 'id of the delivery', parseId)
    .option('--json', 'print one JSON document')
    .action(sendAgain);
}

async function list({ account, webhook, event, state, limit, json }: Options): Promise<void> {
  const filter = {
    ...(account === undefined ? {} : { accountId: account }),
    ...(webhook === undefined ? {} : { webhookId: webhook }),
    ...(event === undefined ? {} : { eventId: event }),
    ...(state === undefined ? {} : { state }),
  };
  const deliveries = await withConnections(async ({ db }) => {
    const found = await newest(limit, (most) => listDeliveries(db, { ...filter, limit: most }));
    if (found.length === 0) await requireNamed(db, { account, webhook, event });
    return found;
  });
  const brief = (delivery: (typeof deliveries)[number]) =>
    json ? { ...summaryOf(delivery), made: delivery.made.map(attemptOf) } : summaryOf(delivery);
  print(deliveries.map(brief), { json });
}

/** Nothing was found: throws when an option names what does not exist. */
async function requireNamed(
  db: Database,
  { account, webhook, event }: { [option in 'account' | 'webhook' | 'event']: string | undefined },
): Promise<void> {
  if (account !== undefined) await requireAccount(db, account);
  if (webhook !== undefined) await requireWebhook(db, webhook, { accountId: account, deletedToo: true });
  if (event !== undefined && !(await findEvent(db, event))) throw new StartError(`--event: there is no event ${event}`);
}

async function find(db: Database, id: string): Promise<{ accountId: string; delivery: DeliveryDetail }> {
  const accountId = await findDeliveryOwner(db, id);
  const delivery = accountId === null ? null : await findDelivery(db, accountId, id);
  if (accountId === null || !delivery) throw new StartError(`there is no delivery ${id}`);
  return { accountId, delivery };
}

async function show(id: string, { json }: { json?: boolean }): Promise<void> {
  const { accountId, delivery } = await withConnections(({ db }) => find(db, id));
  const summary = { account_id: accountId, ...aboutOf(delivery), ...summaryOf(delivery) };
  const attempts = delivery.made.map((attempt) => ({ ...attemptOf(attempt), ...wireOf(delivery, attempt) }));
  if (json) return print({ ...summary, payload: delivery.payload, made: attempts }, { json });
  print({ ...summary, payload: delivery.payload });
  for (const { number, ...attempt } of attempts) {
    printLine('');
    printLine(`attempt ${number}`);
    print(attempt);
  }
}

async function sendAgain(id: string, { json }: { json?: boolean }): Promise<void> {
  const delivery = await withConnections(async (connections) => {
    const found = await find(connections.db, id);
    const obstacle = await resend(connections, found.accountId, found.delivery);
    if (obstacle !== null) throw new StartError(`the webhook of delivery ${id} is ${obstacle}`);
    return (await find(connections.db, id)).delivery;
  });
  print({ ...aboutOf(delivery), ...summaryOf(delivery) }, { json });
}

const aboutOf = ({ event, messageId }: DeliveryDetail) => ({ event, message_id: messageId });

const summaryOf = (delivery: Delivery | DeliveryDetail) => ({
  id: delivery.id,
  event_id: delivery.eventId,
  webhook_id: delivery.webhookId,
  state: delivery.state,
  reason: delivery.reason,
  attempts: delivery.attempts,
  next_attempt_at: delivery.nextAttemptAt,
  created_at: delivery.createdAt,
});

/** What `list` leaves out of an attempt. */
function wireOf(delivery: DeliveryDetail, attempt: DeliveryDetail['made'][number]) {
  const { headers, body } = sentRequest(delivery, attempt);
  return {
    kind: attempt.kind ?? 'scheduled',
    headers,
    body,
    answer_headers: attempt.responseHeaders,
    dns_ms: attempt.dnsMs,
    connect_ms: attempt.connectMs,
    tls_ms: attempt.tlsMs,
    first_byte_ms: attempt.firstByteMs,
    remote_address: attempt.remoteAddress,
  };
}

function attemptOf(attempt: Awaited<ReturnType<typeof listDeliveries>>[number]['made'][number]) {
  return {
    number: attempt.number,
    started_at: attempt.startedAt,
    duration_ms: attempt.durationMs,
    outcome: attempt.outcome,
    status_code: attempt.statusCode,
    error_code: attempt.errorCode,
    url: attempt.url,
    answer: attempt.answer,
    warnings: attempt.warnings,
  };
}
