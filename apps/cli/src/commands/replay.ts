import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { wholeNumber, createProgress } from '@ringback/process/command-line';
import {
  cancelReplay,
  countDeliveries,
  type Database,
  findReplay,
  findAccountOfReplay,
  findWebhook,
  findAccountOfWebhook,
  listReplays,
  type Replay,
  startReplay,
  type DeliveryFilter,
} from '@ringback/ledger';
import { OperatorError } from '@ringback/process';
import { errorClasses, eventNames } from '@ringback/rules';
import {
  requireAccount,
  accountOption,
  idArgument,
  idOption,
  type Json,
  jsonOption,
  limitOption,
  listNewest,
  requireWebhook,
  type FinalState,
  finalStatesOption,
  parseTime,
} from '../options.js';
import { withConnections } from '../connect.js';
import { print } from '../output.js';

type Start = FilterOptions & Json & { webhook: string; dryRun?: boolean; rate: number; follow?: boolean };
type List = Json & { account: string; webhook?: string; limit: number };

const followHelp = 'show the progress until the replay ends; exit code 1 when it was cancelled';

/** Adds the commands `replay start|list|show|cancel`. */
export function addReplayCommands(program: Command): void {
  const replay = program.command('replay').description('manage replays, which send many deliveries of a webhook again');
  addFilterOptions(
    replay
      .command('start')
      .description('send the matching deliveries of a webhook again, oldest first')
      .addOption(idOption('--webhook <id>', 'id of the webhook').makeOptionMandatory()),
  )
    .option('--dry-run', 'only count the matching deliveries')
    .option('--rate <number>', 'maximum deliveries per second', wholeNumber(1, 1_000), 50)
    .option('--follow', followHelp)
    .addOption(jsonOption())
    .action(start);
  replay
    .command('list')
    .description("list an account's replays, newest first")
    .addOption(accountOption())
    .addOption(idOption('--webhook <id>', 'only replays of this webhook'))
    .addOption(limitOption())
    .addOption(jsonOption())
    .action(list);
  replay
    .command('show')
    .description('show the progress of a replay')
    .addArgument(idArgument('replay'))
    .option('--follow', followHelp)
    .addOption(jsonOption())
    .action(show);
  replay
    .command('cancel')
    .description('cancel a replay; deliveries that it has already made pending are still sent')
    .addArgument(idArgument('replay'))
    .addOption(jsonOption())
    .action(cancel);
}

async function start({ webhook: id, rate, dryRun, follow, json, ...options }: Start): Promise<void> {
  await withConnections(async ({ db }) => {
    const accountId = await findAccountOfWebhook(db, id);
    const webhook = accountId === null ? null : await findWebhook(db, accountId, id);
    if (accountId === null || !webhook) throw new OperatorError(`--webhook: there is no webhook ${id}`);
    const filter = toFilter(webhook.id, options);
    if (dryRun) {
      const { count, isComplete } = await countDeliveries(db, accountId, filter);
      return print({ count, complete: isComplete }, { json });
    }
    if (!webhook.active) throw new OperatorError(`webhook ${id} is inactive`);
    const started = await startReplay(db, accountId, { webhookId: webhook.id, filter, rate });
    if (!started) throw new OperatorError(`webhook ${id} already has a running replay`);
    await printReplay(db, started, { follow, json });
  });
}

async function list({ account, webhook, limit, json }: List): Promise<void> {
  const replays = await withConnections(async ({ db }) => {
    await requireAccount(db, account);
    if (webhook !== undefined) await requireWebhook(db, webhook, { accountId: account, includeDeleted: true });
    return listNewest(limit, async (perPage) => {
      return (await listReplays(db, account, { webhookId: webhook, cursor: null, perPage })).replays;
    });
  });
  print(replays.map(replayJson), { json });
}

async function show(id: string, options: Json & { follow?: boolean }): Promise<void> {
  await withConnections(async ({ db }) => printReplay(db, await find(db, id), options));
}

async function cancel(id: string, { json }: Json): Promise<void> {
  const replay = await withConnections(async ({ db }) => {
    const { accountId } = await find(db, id);
    return cancelReplay(db, accountId, id);
  });
  if (replay?.state !== 'cancelled') throw new OperatorError(`replay ${id} had already ended`);
  print(replayJson(replay), { json });
}

async function find(db: Database, id: string): Promise<Replay> {
  const accountId = await findAccountOfReplay(db, id);
  const replay = accountId === null ? null : await findReplay(db, accountId, id);
  if (!replay) throw new OperatorError(`there is no replay ${id}`);
  return replay;
}

/**
 * Prints a replay. With `follow` it shows the progress until the replay ends, prints the ended replay, and sets the
 * exit code 1 if the replay was cancelled.
 */
async function printReplay(
  db: Database,
  replay: Replay,
  { follow, json }: Json & { follow?: boolean | undefined },
): Promise<void> {
  if (!follow) return print(replayJson(replay), { json });
  const ended = await followReplay(() => find(db, replay.id), { quiet: json ?? false });
  print(replayJson(ended), { json });
  if (ended.state === 'cancelled') process.exitCode = 1;
}

const replayJson = (replay: Replay) => ({
  id: replay.id,
  webhook_id: replay.webhookId,
  state: replay.state,
  reason: replay.reason,
  filter: filterJson(replay.filter),
  rate: replay.rate,
  total: replay.total,
  replayed: replay.replayed,
  created_at: replay.createdAt,
  updated_at: replay.updatedAt,
  finished_at: replay.finishedAt,
});

/** The options that `addFilterOptions` adds. */
type FilterOptions = {
  state: FinalState[];
  event?: DeliveryFilter['event'];
  messageId?: string;
  mobile?: string;
  responseCode?: number;
  error?: DeliveryFilter['error'];
  since?: Date;
  until?: Date;
};

/** Adds an option for each filter of `POST /developer/webhooks/{id}/replay` but `webhook_id`. */
function addFilterOptions(command: Command): Command {
  return command
    .addOption(finalStatesOption())
    .addOption(new Option('--event <name>', 'only this event name').choices(eventNames))
    .option('--message-id <id>', 'only this message')
    .option('--mobile <number>', 'only this phone number')
    .option('--response-code <code>', 'only deliveries whose last attempt got this status', wholeNumber(100, 999))
    .addOption(new Option('--error <class>', 'only deliveries whose last attempt had this error').choices(errorClasses))
    .option('--since <time>', 'only deliveries created at this time or later, such as 2026-01-31T12:00:00Z', parseTime)
    .option('--until <time>', 'only deliveries created before this time', parseTime);
}

/** Converts the options to the database's filter. */
const toFilter = (webhookId: string, { state, ...options }: FilterOptions): DeliveryFilter => ({
  webhookId,
  states: state,
  event: options.event,
  messageId: options.messageId,
  mobile: options.mobile,
  responseCode: options.responseCode,
  error: options.error,
  since: options.since,
  until: options.until,
});

/** Formats a filter with the field names of the API. */
const filterJson = (filter: DeliveryFilter) => ({
  status: filter.states?.join(','),
  event: filter.event,
  message_id: filter.messageId,
  mobile: filter.mobile,
  response_code: filter.responseCode,
  error: filter.error,
  since: filter.since,
  until: filter.until,
});

const pollMs = 500;

/**
 * Polls a replay until it ends, and resolves with the ended replay. It shows the replay's id and progress on stderr: a
 * bar on a terminal, or a line for each change elsewhere. With `quiet` it shows nothing.
 */
async function followReplay(fetchReplay: () => Promise<Replay>, { quiet }: { quiet: boolean }): Promise<Replay> {
  const screen = quiet ? { write: () => undefined } : process.stderr;
  const { id } = await fetchReplay();
  screen.write(`replay ${id}\n`);
  const progress = createProgress(screen);
  let shownText = '';
  progress.startPart('making deliveries due');
  try {
    for (;;) {
      const replay = await fetchReplay();
      const countText = formatCount(replay);
      if (countText !== shownText)
        progress.setStep(countText, replay.total ? replay.replayed / replay.total : undefined);
      shownText = countText;
      if (replay.state !== 'running') return replay;
      await sleep(pollMs);
    }
  } finally {
    progress.close();
  }
}

const formatCount = ({ replayed, total }: Replay) =>
  total === null ? `${replayed} made due` : `${replayed} of ${total}`;
