import type { Command } from 'commander';
import { restoreRequest, attemptFields, deliveryFields, type SentRequest } from '@ringback/rules';
import {
  type Database,
  type Delivery,
  type DeliveryDetail,
  findDelivery,
  findAccountOfDelivery,
  findEvent,
  listNewestDeliveries,
  scheduleNow,
  type Attempt,
} from '@ringback/ledger';
import { OperatorError } from '@ringback/process';
import {
  requireAccount,
  idArgument,
  idOption,
  type Json,
  jsonOption,
  limitOption,
  listNewest,
  stateOption,
  requireWebhook,
} from '../options.js';
import { withConnections } from '../connect.js';
import { print, printLine } from '../output.js';

type Options = Json & {
  account?: string;
  webhook?: string;
  eventId?: string;
  state?: Delivery['state'];
  limit: number;
};

/** Adds the commands `delivery list|show|resend`. */
export function addDeliveryCommands(program: Command): void {
  const delivery = program.command('delivery').description('manage deliveries; each is one event for one webhook');
  delivery
    .command('list')
    .description('list deliveries, newest first; with --json also their attempts')
    .addOption(idOption('--account <id>', 'only deliveries of this account'))
    .addOption(idOption('--webhook <id>', 'only deliveries to this webhook'))
    .addOption(idOption('--event-id <id>', 'only deliveries of this event'))
    .addOption(stateOption())
    .addOption(limitOption())
    .addOption(jsonOption())
    .action(list);
  delivery
    .command('show')
    .description('show a delivery with the request and the response of each attempt')
    .addArgument(idArgument('delivery'))
    .addOption(jsonOption())
    .action(show);
  delivery
    .command('resend')
    .description(
      'send a delivery again with the current settings of its webhook; a pending one gets its next attempt now',
    )
    .addArgument(idArgument('delivery'))
    .addOption(jsonOption())
    .action(resendDelivery);
}

async function list({ account, webhook, eventId, state, limit, json }: Options): Promise<void> {
  const filter = {
    ...(account === undefined ? {} : { accountId: account }),
    ...(webhook === undefined ? {} : { webhookId: webhook }),
    ...(eventId === undefined ? {} : { eventId }),
    ...(state === undefined ? {} : { state }),
  };
  const deliveries = await withConnections(async ({ db }) => {
    const listed = await listNewest(limit, (maxRows) => listNewestDeliveries(db, { ...filter, limit: maxRows }));
    if (listed.length === 0) await requireFilterIds(db, { account, webhook, eventId });
    return listed;
  });
  const withAttempts = (delivery: (typeof deliveries)[number]) => ({
    ...deliveryJson(delivery),
    attempts: delivery.attempts.map((attempt) => attemptJson(delivery, attempt)),
  });
  print(json ? deliveries.map(withAttempts) : deliveries.map(deliveryJson), { json });
}

/**
 * Throws an OperatorError if an account, webhook or event that an option names does not exist, or if the webhook is one
 * of another account.
 */
async function requireFilterIds(
  db: Database,
  { account, webhook, eventId }: { [option in 'account' | 'webhook' | 'eventId']: string | undefined },
): Promise<void> {
  if (account !== undefined) await requireAccount(db, account);
  if (webhook !== undefined) await requireWebhook(db, webhook, { accountId: account, includeDeleted: true });
  if (eventId !== undefined && !(await findEvent(db, eventId)))
    throw new OperatorError(`--event-id: there is no event ${eventId}`);
}

async function findWithAccount(db: Database, id: string): Promise<{ accountId: string; delivery: DeliveryDetail }> {
  const accountId = await findAccountOfDelivery(db, id);
  const delivery = accountId === null ? null : await findDelivery(db, accountId, id);
  if (accountId === null || !delivery) throw new OperatorError(`there is no delivery ${id}`);
  return { accountId, delivery };
}

async function show(id: string, { json }: Json): Promise<void> {
  const { accountId, delivery } = await withConnections(({ db }) => findWithAccount(db, id));
  const fields = {
    account_id: accountId,
    ...eventFieldsOf(delivery),
    ...deliveryJson(delivery),
    payload: delivery.payload,
  };
  const attempts = delivery.attempts.map((attempt) =>
    attemptJson(delivery, attempt, restoreRequest(delivery, attempt)),
  );
  if (json) return print({ ...fields, attempts }, { json });
  print(fields);
  for (const { number, request, response, timings, ...attempt } of attempts) {
    printLine('');
    printLine(`attempt ${number}`);
    print({ ...attempt, ...timings, ...prefixed('request', request), ...prefixed('response', response ?? {}) });
  }
}

/** The fields of an object, with a prefix before their names. */
const prefixed = (prefix: string, inner: object) =>
  Object.fromEntries(Object.entries(inner).map(([name, value]) => [`${prefix}_${name}`, value]));

async function resendDelivery(id: string, { json }: Json): Promise<void> {
  const resent = await withConnections(async (connections) => {
    const { accountId, delivery } = await findWithAccount(connections.db, id);
    const unavailableReason = await scheduleNow(connections, accountId, delivery);
    if (unavailableReason !== null) throw new OperatorError(`the webhook of delivery ${id} is ${unavailableReason}`);
    return (await findWithAccount(connections.db, id)).delivery;
  });
  print({ ...eventFieldsOf(resent), ...deliveryJson(resent) }, { json });
}

const eventFieldsOf = ({ eventName, messageId }: DeliveryDetail) => ({ event: eventName, message_id: messageId });

type DeliveryJson = ReturnType<typeof deliveryFields> & {
  due_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

/**
 * Formats a delivery with the field names of the management API. `due_at` of a `DeliveryDetail` is null while the
 * delivery's webhook is paused, as in the API. `due_at` of a `Delivery` is always the stored time.
 */
const deliveryJson = (delivery: Delivery | DeliveryDetail): DeliveryJson => ({
  ...deliveryFields(delivery),
  due_at: delivery.dueAt,
  created_at: delivery.createdAt,
  updated_at: delivery.updatedAt,
});

/** Formats an attempt with the field names of the management API. By default the request has no headers and no body. */
const attemptJson = (
  { channel }: { channel: string },
  attempt: Omit<Attempt, 'deliveryId'>,
  request: Pick<SentRequest, 'method' | 'url'> = { method: 'POST', url: attempt.url },
) => attemptFields(channel === 'rcs' ? 'rcs' : 'sms', attempt, request);
