import type { Command } from 'commander';
import {
  cancelReplay,
  countDeliveries,
  type Database,
  findReplay,
  findReplayOwner,
  findWebhook,
  findWebhookOwner,
  listReplays,
  type Replay,
  startReplay,
} from '@ringback/database';
import { StartError } from '@ringback/runtime';
import { requireAccount } from './account.js';
import { withConnections } from './connect.js';
import { followReplay } from './follow-replay.js';
import { parseId } from './id.js';
import { limitOption, newest } from './limit.js';
import { print } from './output.js';
import { addFilterOptions, describeFilter, filterOf, type FilterOptions } from './replay-filter.js';
import { requireWebhook } from './webhook.js';
import { wholeNumber } from './whole-number.js';

type Json = { json?: boolean };
type Start = FilterOptions & Json & { webhook: string; dryRun?: boolean; rate: number; follow?: boolean };
type List = Json & { account: string; webhook?: string; limit: number };

const follows = 'show how far it is until it has ended; exit code 1 when it was cancelled';

/** `replay start|list|show|cancel`. */
export function addReplayCommands(program: Command): void {
  const replay = program.command('replay').description('sending many deliveries of a webhook again');
  addFilterOptions(
    replay
      .command('start')
      .description(
        'send the deliveries of a webhook that fit again, oldest first; without --status what was not delivered',
      )
      .requiredOption('--webhook <id>', 'id of the webhook', parseId),
  )
    .option('--dry-run', 'count them only')
    .option('--rate <number>', 'deliveries a second at most', wholeNumber(1, 1_000), 50)
    .option('--follow', follows)
    .option('--json', 'print one JSON document')
    .action(start);
  replay
    .command('list')
    .description("list an account's replays, newest first")
    .requiredOption('--account <id>', 'id of the account', parseId)
    .option('--webhook <id>', 'of this webhook', parseId)
    .addOption(limitOption())
    .option('--json', 'print one JSON document')
    .action(list);
  replay
    .command('show')
    .description('show how far a replay is')
    .argument('<id>', 'id of the replay', parseId)
    .option('--follow', follows)
    .option('--json', 'print one JSON document')
    .action(show);
  replay
    .command('cancel')
    .description('end a replay; what it has made pending is still called')
    .argument('<id>', 'id of the replay', parseId)
    .option('--json', 'print one JSON document')
    .action(cancel);
}

async function start({ webhook: id, rate, dryRun, follow, json, ...options }: Start): Promise<void> {
  await withConnections(async ({ db }) => {
    const accountId = await findWebhookOwner(db, id);
    const webhook = accountId === null ? null : await findWebhook(db, accountId, id);
    if (accountId === null || !webhook) throw new StartError(`--webhook: there is no webhook ${id}`);
    const filter = filterOf(webhook.id, options);
    if (dryRun) return print(await countDeliveries(db, accountId, filter), { json });
    if (!webhook.active) throw new StartError(`webhook ${id} is inactive`);
    const started = await startReplay(db, accountId, { webhookId: webhook.id, filter, rate });
    if (!started) throw new StartError(`a replay of webhook ${id} is running`);
    await tell(db, started, { follow, json });
  });
}

async function list({ account, webhook, limit, json }: List): Promise<void> {
  const replays = await withConnections(async ({ db }) => {
    await requireAccount(db, account);
    if (webhook !== undefined) await requireWebhook(db, webhook, { accountId: account, deletedToo: true });
    return newest(limit, async (perPage) => {
      return (await listReplays(db, account, { webhookId: webhook, cursor: null, perPage })).replays;
    });
  });
  print(replays.map(summaryOf), { json });
}

async function show(id: string, options: Json & { follow?: boolean }): Promise<void> {
  await withConnections(async ({ db }) => tell(db, await find(db, id), options));
}

async function cancel(id: string, { json }: Json): Promise<void> {
  const replay = await withConnections(async ({ db }) => {
    const { accountId } = await find(db, id);
    return cancelReplay(db, accountId, id);
  });
  if (replay?.state !== 'cancelled') throw new StartError(`replay ${id} is done`);
  print(summaryOf(replay), { json });
}

async function find(db: Database, id: string): Promise<Replay> {
  const accountId = await findReplayOwner(db, id);
  const replay = accountId === null ? null : await findReplay(db, accountId, id);
  if (!replay) throw new StartError(`there is no replay ${id}`);
  return replay;
}

/** Prints a replay; with `follow`, once it has ended. */
async function tell(
  db: Database,
  replay: Replay,
  { follow, json }: { follow?: boolean | undefined; json?: boolean | undefined },
): Promise<void> {
  if (!follow) return print(summaryOf(replay), { json });
  const ended = await followReplay(() => find(db, replay.id), { quiet: json ?? false });
  print(summaryOf(ended), { json });
  if (ended.state === 'cancelled') process.exitCode = 1;
}

const summaryOf = (replay: Replay) => ({
  id: replay.id,
  webhook_id: replay.webhookId,
  state: replay.state,
  reason: replay.reason,
  filter: describeFilter(replay.filter),
  rate: replay.rate,
  total: replay.total,
  replayed: replay.replayed,
  created_at: replay.createdAt,
  updated_at: replay.updatedAt,
  finished_at: replay.finishedAt,
});
