import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { explain, openStopSignal, printableJson, StartError } from '@ringback/runtime';
import { requireAccount } from './account.js';
import { chooseBaseUrl, parseUrl } from './base-url.js';
import { withConnections } from './connect.js';
import { apiLog, databaseLog, type FollowedLog, type LogEntry } from './delivery-log.js';
import { type Follower, follow } from './follow.js';
import { forward } from './forward.js';
import { parseId } from './id.js';
import { printLine, say } from './output.js';
import { requireWebhook } from './webhook.js';

type Options = {
  account?: string;
  token?: string;
  url?: string;
  webhook?: string;
  forward: URL;
  bearer?: string;
  json?: boolean;
};

const pollMs = 1_000;

/** `listen`: an account's callbacks on a local port, for development behind a firewall. */
export function addListenCommand(program: Command): void {
  program
    .command('listen')
    .description(
      "repeat an account's new callbacks to a local address, as the delivery log shows them, until Ctrl-C. Each " +
        'delivery comes once, whatever its webhook answered; what the local address answers changes nothing',
    )
    .requiredOption('--forward <url>', 'where to send them, such as http://localhost:4000/callbacks', parseUrl)
    .option('--account <id>', 'id of the account: reads the database', parseId)
    .addOption(new Option('--token <token>', 'access token: reads the API instead').env('ACCESS_TOKEN'))
    .addOption(
      new Option(
        '--url <url>',
        'base URL of the API, for --token; that of the `npm start` that runs in this folder otherwise',
      )
        .env('BASE_URL')
        .argParser((text) => parseUrl(text).href),
    )
    .option('--webhook <id>', 'of this webhook only', parseId)
    .option('--bearer <token>', 'send this in Authorization, which the log masks')
    .option('--json', 'print a JSON document per callback, each on a line')
    .action(async (options: Options) => {
      const { account, token, url, webhook } = options;
      if (account !== undefined) {
        return withConnections(async ({ db }) => {
          await requireAccount(db, account);
          if (webhook !== undefined) await requireWebhook(db, webhook, { accountId: account });
          await listen(databaseLog(db, account, webhook), options);
        });
      }
      if (token === undefined) throw new StartError('give --account or --token');
      const baseUrl = chooseBaseUrl(url);
      say(`ringback: the API is ${baseUrl}`);
      await listen(apiLog(baseUrl, token, webhook), options);
    });
}

async function listen(log: FollowedLog, options: Options): Promise<void> {
  const stop = openStopSignal();
  const follower = await follow(log);
  say(`listening: new callbacks go to ${options.forward.href} (Ctrl-C ends it)`);
  let isAway = false;
  while (!stop.aborted) {
    const ready = await nextOf(follower);
    // Said once, however long it lasts.
    if ('problem' in ready && !isAway) say(`${ready.problem}; trying again`);
    isAway = 'problem' in ready;
    for (const entry of 'entries' in ready ? ready.entries : []) {
      if (!stop.aborted) await repeat(log, entry, options);
    }
    await sleep(pollMs, undefined, { signal: stop }).catch(() => {});
  }
}

const nextOf = (follower: Follower): Promise<{ entries: LogEntry[] } | { problem: string }> =>
  follower.next().then(
    (entries) => ({ entries }),
    (error: unknown) => ({ problem: explain(error) }),
  );

async function repeat(log: FollowedLog, { id, event, reason }: LogEntry, options: Options): Promise<void> {
  let none = reason ?? 'its request is not in the log';
  const sent = await log.findSent(id).catch((problem: unknown) => {
    none = explain(problem);
    return null;
  });
  const { status, error, ms } = sent
    ? await forward(sent, options.forward, options.bearer)
    : { status: null, error: none, ms: 0 };
  const line = options.json
    ? printableJson({ delivery_id: id, event, forwarded: sent !== null, status, error, ms })
    : `${new Date().toISOString()}  ${event}  ${id}  ${sent ? '' : 'not forwarded: '}${status ?? error}  ${ms} ms`;
  printLine(line);
}
