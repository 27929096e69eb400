import { createInterface } from 'node:readline';
import { type Database, findAccount, findAccountOfWebhook, parseRawEvent } from '@ringback/ledger';
import { type NewEvent, parseExactJson } from '@ringback/rules';
import { withConnections } from '../connect.js';
import { printJsonLine, printNotice } from '../output.js';
import { type Source, toOperatorError } from './broker.js';
import { findAccountId, type Message, type MessageForm, readMessage } from './message.js';

/** `source` is absent when the messages are the lines of standard input. */
type DryRun = { source: Source | undefined; form: MessageForm; limit: number };

/**
 * Prints what up to `limit` messages of a broker, or all of standard input, would become: one JSON line for each. The
 * messages stay in the broker, and nothing is stored. Sets the exit code 1 if one would be rejected.
 */
export async function dryRun({ source, form, limit }: DryRun): Promise<void> {
  let [count, rejectedCount] = [0, 0];
  await withConnections(async ({ db }) => {
    for await (const message of source ? await peek(source, limit) : readLines()) {
      const line = await describeMessage(db, message, form);
      count++;
      if (line.state === 'rejected') rejectedCount++;
      await printJsonLine(line);
    }
  });
  const from = source ? ` of the ${source.name}, which stay there` : '';
  printNotice(
    `ringback: a dry run of ${count} messages${from}: ${rejectedCount} would be rejected; nothing was stored`,
  );
  if (rejectedCount > 0) process.exitCode = 1;
}

const peek = (source: Source, limit: number) =>
  source.peek(limit).catch((error: unknown) => Promise.reject(toOperatorError(error)));

async function* readLines(): AsyncGenerator<Message> {
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() !== '') yield { body: Buffer.from(line) };
  }
}

/** An event in the form of `POST /events`, or why the message would be rejected, and its text. */
async function describeMessage(db: Database, message: Message, form: MessageForm) {
  const rawEvent = await readMessage(message, form, (externalId) => findAccountId(db, externalId));
  const parsed = parseRawEvent(rawEvent);
  const reason = parsed.ok ? await refusalOf(db, parsed.event) : parsed.reason;
  if (!parsed.ok || reason !== null) {
    return { state: 'rejected', reason, event: rawEvent.name, message: message.body.toString() };
  }
  const { name, accountId, webhookId, identity, platformEventId, payload } = parsed.event;
  return {
    state: 'accepted',
    event: name,
    account_id: accountId ?? undefined,
    webhook_id: webhookId ?? undefined,
    identity: identity ?? undefined,
    event_id: platformEventId ?? undefined,
    payload: parseExactJson(payload),
  };
}

/** Why the event would be rejected when it is stored; null if it would not be. */
async function refusalOf(db: Database, { accountId, webhookId }: NewEvent): Promise<string | null> {
  const owner = webhookId === null ? accountId : await findAccountOfWebhook(db, webhookId, { includeDeleted: true });
  if (owner === null) return 'webhook_id names no webhook';
  if (accountId !== null && accountId !== owner) return 'webhook_id names a webhook of another account';
  return (await findAccount(db, owner)) ? null : 'account_id names no account';
}
