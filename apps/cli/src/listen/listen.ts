import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { createStopSignal } from '@ringback/process/command-line';
import { formatError, OperatorError, printableJson } from '@ringback/process';
import { requireAccount } from '../options/require-account.js';
import { baseUrlOption, chooseBaseUrl, parseUrl } from '../options/base-url.js';
import { withConnections } from '../connect.js';
import { createApiDeliveryLog, createDatabaseDeliveryLog, type DeliveryLog, type LogEntry } from './delivery-log.js';
import { type Follower, followNewDeliveries } from './follow.js';
import { forward } from './forward.js';
import { idOption } from '../options/ids.js';
import type { Json } from '../options/json.js';
import { printLine, printNotice } from '../output.js';
import { requireWebhook } from '../options/require-webhook.js';

type Options = Json & {
  account?: string;
  token?: string;
  url?: string;
  webhook?: string;
  forward: URL;
  bearer?: string;
};

const pollMs = 1_000;

/** Adds the command `listen`. It forwards an account's callbacks to a local URL, for development behind a firewall. */
export function addListenCommand(program: Command): void {
  program
    .command('listen')
    .description(
      "forward an account's new callbacks to a local URL until Ctrl-C. Each delivery is forwarded once, after its first " +
        'attempt; the response of the local URL does not change the delivery',
    )
    .requiredOption('--forward <url>', 'the local URL, such as http://localhost:4000/callbacks', parseUrl)
    .addOption(idOption('--account <id>', 'id of the account; reads the deliveries from the database'))
    .addOption(new Option('--token <token>', 'access token; reads the deliveries from the API').env('ACCESS_TOKEN'))
    .addOption(baseUrlOption('base URL of the API, for --token'))
    .addOption(idOption('--webhook <id>', 'only callbacks of this webhook'))
    .option('--bearer <token>', 'token for the Authorization header, which is masked in the log')
    .option('--json', 'print one line of JSON for each callback')
    .action(async (options: Options) => {
      const { account, token, url, webhook } = options;
      if (account !== undefined) {
        return withConnections(async ({ db }) => {
          await requireAccount(db, account);
          if (webhook !== undefined) await requireWebhook(db, webhook, { accountId: account });
          await listen(createDatabaseDeliveryLog(db, account, webhook), options);
        });
      }
      if (token === undefined) throw new OperatorError('give --account or --token');
      const baseUrl = chooseBaseUrl(url);
      printNotice(`ringback: the API is ${baseUrl}`);
      await listen(createApiDeliveryLog(baseUrl, token, webhook), options);
    });
}

async function listen(log: DeliveryLog, options: Options): Promise<void> {
  const stop = createStopSignal();
  const follower = await followNewDeliveries(log);
  printNotice(`listening: new callbacks are forwarded to ${options.forward.href} (Ctrl-C to stop)`);
  let isFailing = false;
  while (!stop.aborted) {
    const result = await readNext(follower);
    // Only one notice is printed for each outage.
    if ('failure' in result && !isFailing) printNotice(`${result.failure}; trying again`);
    isFailing = 'failure' in result;
    for (const entry of 'entries' in result ? result.entries : []) {
      if (!stop.aborted) await forwardEntry(log, entry, options);
    }
    await sleep(pollMs, undefined, { signal: stop }).catch(() => {});
  }
}

const readNext = (follower: Follower): Promise<{ entries: LogEntry[] } | { failure: string }> =>
  follower.next().then(
    (entries) => ({ entries }),
    (error: unknown) => ({ failure: formatError(error) }),
  );

async function forwardEntry(log: DeliveryLog, { id, eventName, reason }: LogEntry, options: Options): Promise<void> {
  let failure = reason ?? 'its request is not in the log';
  const request = await log.findLastRequest(id).catch((error: unknown) => {
    failure = formatError(error);
    return null;
  });
  const { status, error, ms } = request
    ? await forward(request, options.forward, options.bearer)
    : { status: null, error: failure, ms: 0 };
  const line = options.json
    ? printableJson({ delivery_id: id, event: eventName, forwarded: request !== null, status, error, ms })
    : `${new Date().toISOString()}  ${eventName}  ${id}  ${request ? '' : 'not forwarded: '}${status ?? error}  ${ms} ms`;
  printLine(line);
}
