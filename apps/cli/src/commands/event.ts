import { readFile } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import { Argument, type Command, Option } from 'commander';
import { memberTexts, parseEvent, sampleEvent, type SampleKind, sampleKinds } from '@ringback/rules';
import {
  type Event,
  type EventFilter,
  findEvent,
  listNewestEvents,
  listRejectedEvents,
  ingestEvents,
  type IngestResult,
  retryRejectedEvent,
} from '@ringback/ledger';
import { dayMs, OperatorError } from '@ringback/process';
import {
  requireAccount,
  accountOption,
  idArgument,
  idOption,
  type Json,
  jsonOption,
  limitOption,
  listNewest,
  parseTime,
  requireWebhook,
} from '../options.js';
import { readKeptMessage } from '../bridge/message.js';
import { readMessageMap } from '../bridge/message-map.js';
import { type Connections, withConnections } from '../connect.js';
import { print, printNotice } from '../output.js';

/** Adds the commands `event publish|sample|list|rejected|retry`. */
export function addEventCommands(program: Command): void {
  const event = program.command('event').description('manage events, the reports of the platforms');
  event
    .command('publish')
    .description(
      'publish an event or an array of events, as POST /events does; ends when they are stored; prints their ids and states',
    )
    .option('--file <file>', 'JSON file (default: standard input)')
    .addOption(jsonOption())
    .action(async ({ file, json }: Json & { file?: string }) => publish(await readInput(file), { json }));
  event
    .command('sample')
    .description('publish a sample event')
    .addArgument(new Argument('<kind>', 'kind of event').choices(sampleKinds))
    .addOption(accountOption())
    .addOption(idOption('--webhook <id>', 'send it to this webhook (default: the subscribed webhooks)'))
    .option('--identity <identity>', 'identity of the event, such as number:1')
    .addOption(jsonOption())
    .action(sample);
  addListCommand(event);
  event
    .command('rejected')
    .description('list rejected events with the reason, newest first')
    .addOption(limitOption())
    .addOption(jsonOption())
    .action(async ({ limit, json }: Json & { limit: number }) => {
      const events = await withConnections(({ db }) =>
        listNewest(limit, (maxRows) => listRejectedEvents(db, { limit: maxRows })),
      );
      const rows = events.map(({ id, name, reason, receivedAt }) => ({
        id,
        event: name,
        reason,
        received_at: receivedAt,
      }));
      const withEnvelope = events.map(({ envelope }, index) => ({ ...rows[index], envelope }));
      print(json ? withEnvelope : rows, { json });
    });
  event
    .command('retry')
    .description('process a rejected event again')
    .addArgument(idArgument('event'))
    .option('--map <file>', 'map of the bridge, for a message that it could not read')
    .addOption(jsonOption())
    .action(async (id: string, { map: file, json }: Json & { map?: string }) => {
      const map = file === undefined ? undefined : readMessageMap(file);
      const result = await withConnections(async (connections) => {
        const readKept = map && ((data: unknown, name: string) => readKeptMessage(connections.db, { data, name, map }));
        return (await retryRejectedEvent(connections.db, id, readKept)) ?? throwRetryError(connections, id);
      });
      if (result.state === 'rejected') throw new OperatorError(`event ${id} is rejected again: ${result.reason}`);
      print({ id: result.eventId, state: result.state, reason: result.reason }, { json });
    });
}

type ListOptions = Json & Omit<EventFilter, 'accountId' | 'name'> & { account?: string; event?: string; limit: number };

function addListCommand(event: Command): void {
  event
    .command('list')
    .description('list events, newest first; with --json also their payloads')
    .addOption(
      new Option('--state <state>', 'only events in this state; duplicate: those that were pushed again').choices([
        'routed',
        'unrouted',
        'rejected',
        'duplicate',
      ]),
    )
    .addOption(idOption('--account <id>', 'only events of this account'))
    .option('--event <name>', 'only events of this name')
    .option('--message-id <id>', 'only events of this message; without --account and --since, of one day')
    .option('--since <time>', 'only events received at this time or later, such as 2026-01-31T12:00:00Z', parseTime)
    .option('--until <time>', 'only events received before this time', parseTime)
    .addOption(limitOption())
    .addOption(jsonOption())
    .action(list);
}

async function list({ account, event: name, limit, json, ...others }: ListOptions): Promise<void> {
  const filter = { ...others, name, accountId: account };
  if (filter.messageId !== undefined && account === undefined && filter.since === undefined) {
    // Message ids are indexed by account. Without one, all events of the time are read.
    filter.since = new Date((filter.until?.getTime() ?? Date.now()) - dayMs);
    printNotice(
      `ringback: only events since ${filter.since.toISOString()} are searched; ` +
        '--account ID searches all of an account, --since TIME those of any account',
    );
  }
  const events = await withConnections(async ({ db }) => {
    const listed = await listNewest(limit, (maxRows) => listNewestEvents(db, filter, { limit: maxRows }));
    if (listed.length === 0 && account !== undefined) await requireAccount(db, account);
    return listed;
  });
  print(json ? events.map(detailedJson) : events.map(eventJson), { json });
}

const eventJson = (event: Event) => ({
  id: event.id,
  event: event.name,
  state: event.state,
  account_id: event.accountId,
  message_id: event.messageId,
  received_at: event.receivedAt,
  duplicates: event.duplicateCount ?? 0,
  last_duplicate_at: event.lastDuplicateAt,
});

const detailedJson = (event: Event) => ({
  ...eventJson(event),
  webhook_id: event.webhookId,
  identity: event.identity,
  event_id: event.platformEventId,
  mobile: event.mobile,
  deliveries: event.deliveryCount,
  reason: event.reason,
  payload: event.payload,
  envelope: event.envelope,
});

/** Throws an OperatorError that says why the event cannot be retried. */
async function throwRetryError({ db }: Connections, id: string): Promise<never> {
  const event = await findEvent(db, id);
  throw new OperatorError(event ? `event ${id} is ${event.state}, not rejected` : `there is no event ${id}`);
}

/** The parsed input, which should be one event or an array of events, and the JSON text of the input. */
type Input = { value: unknown; text: string };

async function readInput(file: string | undefined): Promise<Input> {
  const text = file === undefined ? await readText(process.stdin) : await readFile(file, 'utf8');
  try {
    return { value: JSON.parse(text), text };
  } catch {
    throw new OperatorError(`${file ?? 'standard input'} is not JSON`);
  }
}

type Sample = Json & { account: string; webhook?: string; identity?: string };

/** Publishes a sample event. If its account or webhook is unknown, it is not stored, unlike a platform's event. */
async function sample(kind: SampleKind, { account, webhook, identity, json }: Sample): Promise<void> {
  const parsed = parseEvent(sampleEvent(kind, { accountId: account, webhookId: webhook, identity }));
  if (!parsed.ok) throw new OperatorError(parsed.reason);
  const results = await withConnections(async (connections) => {
    await requireAccount(connections.db, account);
    if (webhook !== undefined) await requireWebhook(connections.db, webhook, { accountId: account });
    return ingestEvents(connections, [parsed.event]);
  });
  const rejected = results.find(({ state }) => state === 'rejected');
  if (rejected) throw new OperatorError(`the event was rejected: ${rejected.reason}`);
  print(results.map(toJson), { json });
}

const toJson = ({ eventId, state, reason }: IngestResult) => ({ id: eventId, state, reason });

async function publish({ value, text }: Input, { json }: Json): Promise<void> {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  const payloadTexts = memberTexts(text, 'payload');
  const events = items.map((item, index) => {
    const parsed = parseEvent(item, payloadTexts[index]);
    if (!parsed.ok) throw new OperatorError(`event ${index}: ${parsed.reason}; nothing was stored`);
    return parsed.event;
  });
  const results = await withConnections((connections) => ingestEvents(connections, events));
  print(results.map(toJson), { json });
}
