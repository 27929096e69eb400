import { setTimeout as sleep } from 'node:timers/promises';
import http from 'node:http';
import https from 'node:https';
import { type Command, Option } from 'commander';
import { createStopSignal } from '@ringback/process/command-line';
import { formatError, OperatorError, printableJson } from '@ringback/process';
import {
  requireAccount,
  baseUrlOption,
  chooseAddress,
  parseHttpUrl,
  idOption,
  type Json,
  requireWebhook,
} from '../options.js';
import { withConnections } from '../connect.js';
import {
  createApiDeliveryLog,
  createDatabaseDeliveryLog,
  type DeliveryLog,
  type LogEntry,
  type StoredRequest,
} from './delivery-log.js';
import { printLine, printNotice } from '../output.js';

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
    .requiredOption('--forward <url>', 'the local URL, such as http://localhost:4000/callbacks', parseHttpUrl)
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
      const { baseUrl } = chooseAddress(url);
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

// A row becomes visible when its transaction commits, which may be after a newer row has become visible.
const overlapMs = 30_000;
const firstAttemptTimeoutMs = 600_000;

type Follower = { next(): Promise<LogEntry[]> };

/**
 * Follows the deliveries that are created from now on. `next` resolves with those that have got their first attempt, or
 * have ended without one, since the last call of `next`: oldest first, and each only once. A delivery that is pending
 * without an attempt is given up after another one is created more than ten minutes later.
 */
export async function followNewDeliveries(log: DeliveryLog): Promise<Follower> {
  const [latest] = await log.list(null);
  // The first call of `next` lists these again, because of the overlap. They count as seen.
  const existing = latest ? await log.list(new Date(latest.createdAt.getTime() - overlapMs)) : [];
  const seen = new Map(existing.map(({ id, createdAt }) => [id, createdAt.getTime()]));
  // The ids and times of deliveries that are pending without an attempt.
  const waiting = new Map<string, number>();
  let newestMs = latest?.createdAt.getTime() ?? -Infinity;

  const listFrom = () => {
    const sinceMs = Math.min(newestMs - overlapMs, ...waiting.values());
    return new Date(Math.max(0, sinceMs));
  };
  const deleteOldEntries = () => {
    for (const [id, createdAtMs] of waiting) {
      if (createdAtMs >= newestMs - firstAttemptTimeoutMs) continue;
      waiting.delete(id);
      seen.set(id, createdAtMs);
    }
    const sinceMs = listFrom().getTime();
    for (const [id, createdAtMs] of seen) if (createdAtMs < sinceMs) seen.delete(id);
  };
  return {
    async next() {
      const listed = (await log.list(listFrom())).reverse().filter(({ id }) => !seen.has(id));
      const ready = listed.filter(({ attemptCount, state }) => attemptCount > 0 || state !== 'pending');
      for (const { id, createdAt } of listed) {
        waiting.set(id, createdAt.getTime());
        newestMs = Math.max(newestMs, createdAt.getTime());
      }
      for (const { id, createdAt } of ready) {
        waiting.delete(id);
        seen.set(id, createdAt.getTime());
      }
      deleteOldEntries();
      return ready;
    },
  };
}

type Forwarded = { status: number | null; error: string | null; ms: number };

const timeoutMs = 30_000;

/**
 * Sends a recorded callback to another URL, with the same body and headers. The callback's query parameters are added
 * to those of the URL. `bearer` replaces the masked token. Resolves with the status, or with the error if no response
 * has arrived, and with the time until then.
 */
function forward({ url, headers, body }: StoredRequest, to: URL, bearer?: string): Promise<Forwarded> {
  const target = new URL(to);
  for (const [name, value] of new URL(url).searchParams) target.searchParams.append(name, value);
  const sentHeaders = bearer === undefined ? headers : { ...headers, Authorization: `Bearer ${bearer}` };
  const startedAt = performance.now();
  const { request: createRequest } = target.protocol === 'https:' ? https : http;
  return new Promise((resolve) => {
    const finish = (status: number | null, error: string | null) =>
      resolve({ status, error, ms: Math.round(performance.now() - startedAt) });
    const request = createRequest(target, { method: 'POST', headers: sentHeaders, timeout: timeoutMs }, (response) => {
      response.resume();
      finish(response.statusCode ?? null, null);
    });
    request.on('timeout', () => request.destroy(new Error(`no response within ${timeoutMs / 1000} s`)));
    request.on('error', (error: NodeJS.ErrnoException) => finish(null, error.code ?? error.message));
    request.end(body);
  });
}
