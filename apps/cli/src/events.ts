import { readFile } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import { Argument, type Command } from 'commander';
import { memberSources, parseEvent } from '@ringback/callbacks';
import { findEvent, listRejectedEvents } from '@ringback/database';
import { ingestEvents, type IngestResult, retryRejectedEvent } from '@ringback/intake';
import { StartError } from '@ringback/runtime';
import { sampleEvent, type SampleKind, sampleKinds } from '@ringback/samples';
import { requireAccount } from './account.js';
import { type Connections, withConnections } from './connect.js';
import { parseId } from './id.js';
import { limitOption, newest } from './limit.js';
import { print } from './output.js';
import { requireWebhook } from './webhook.js';

type Json = { json?: boolean | undefined };

/** `event publish|sample|rejected|retry`. */
export function addEventCommands(program: Command): void {
  const event = program.command('event').description('what the platforms reported');
  event
    .command('publish')
    .description('push an event, or an array of them, as to POST /events; done when they are durable')
    .option('--file <file>', 'JSON file; standard input otherwise')
    .option('--json', 'print one JSON document')
    .action(async ({ file, json }: Json & { file?: string }) => publish(await readInput(file), { json }));
  event
    .command('sample')
    .description('push a sample event')
    .addArgument(new Argument('<kind>', 'kind of event').choices(sampleKinds))
    .requiredOption('--account <id>', 'id of the account', parseId)
    .option('--webhook <id>', 'send it to this webhook; by the subscriptions otherwise', parseId)
    .option('--identity <identity>', 'identity of the event, such as number:1')
    .option('--json', 'print one JSON document')
    .action(sample);
  event
    .command('rejected')
    .description('list the events that could not be used, with the reason, newest first')
    .addOption(limitOption())
    .option('--json', 'print one JSON document')
    .action(async ({ limit, json }: Json & { limit: number }) => {
      const events = await withConnections(({ db }) =>
        newest(limit, (most) => listRejectedEvents(db, { limit: most })),
      );
      const brief = events.map(({ id, name, reason, receivedAt }) => ({
        id,
        event: name,
        reason,
        received_at: receivedAt,
      }));
      const full = events.map(({ envelope }, index) => ({ ...brief[index], envelope }));
      print(json ? full : brief, { json });
    });
  event
    .command('retry')
    .description('put a rejected event through again')
    .argument('<id>', 'id of the event')
    .option('--json', 'print one JSON document')
    .action(async (id: string, { json }: Json) => {
      const arrival = await withConnections(
        async (connections) => (await retryRejectedEvent(connections, id)) ?? explainNone(connections, id),
      );
      if (arrival.state === 'rejected') throw new StartError(`event ${id} is rejected again: ${arrival.reason}`);
      print({ id: arrival.eventId, state: arrival.state, reason: arrival.reason }, { json });
    });
}

/** Says why there was no event to retry. */
async function explainNone({ db }: Connections, id: string): Promise<never> {
  const event = await findEvent(db, id);
  throw new StartError(event ? `event ${id} is ${event.state}, not rejected` : `there is no event ${id}`);
}

/** One event or an array of them; with the text that it was written as, if any. */
type Input = { value: unknown; text?: string };

async function readInput(file: string | undefined): Promise<Input> {
  const text = file === undefined ? await readText(process.stdin) : await readFile(file, 'utf8');
  try {
    return { value: JSON.parse(text), text };
  } catch {
    throw new StartError(`${file ?? 'standard input'} is not JSON`);
  }
}

type Sample = Json & { account: string; webhook?: string; identity?: string };

/** Unlike an event of a platform, a sample for what does not exist is a mistake: nothing is stored. */
async function sample(kind: SampleKind, { account, webhook, identity, json }: Sample): Promise<void> {
  const parsed = parseEvent(sampleEvent(kind, { accountId: account, webhookId: webhook, identity }));
  if (!parsed.ok) throw new StartError(parsed.reason);
  const taken = await withConnections(async (connections) => {
    await requireAccount(connections.db, account);
    if (webhook !== undefined) await requireWebhook(connections.db, webhook, { accountId: account });
    return ingestEvents(connections, [parsed.event]);
  });
  const rejected = taken.find(({ state }) => state === 'rejected');
  if (rejected) throw new StartError(`the event was rejected: ${rejected.reason}`);
  print(taken.map(arrivalOf), { json });
}

const arrivalOf = ({ eventId, state, reason }: IngestResult) => ({ id: eventId, state, reason });

async function publish({ value, text }: Input, { json }: Json): Promise<void> {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  const sources = text === undefined ? [] : memberSources(text, 'payload');
  const events = items.map((item, index) => {
    const parsed = parseEvent(item, sources[index]);
    if (!parsed.ok) throw new StartError(`event ${index}: ${parsed.reason}; nothing was stored`);
    return parsed.event;
  });
  const taken = await withConnections((connections) => ingestEvents(connections, events));
  print(taken.map(arrivalOf), { json });
}
