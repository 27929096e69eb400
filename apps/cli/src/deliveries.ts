import { type Command, Option } from 'commander';
import { type Delivery, listDeliveries } from '@ringback/database';
import { withConnections } from './connect.js';
import { parseId } from './id.js';
import { limitOption, newest } from './limit.js';
import { print } from './output.js';

type Options = {
  account?: string;
  webhook?: string;
  event?: string;
  state?: Delivery['state'];
  limit: number;
  json?: boolean;
};

/** `delivery list`. */
export function addDeliveryCommands(program: Command): void {
  program
    .command('delivery')
    .description('callbacks, each one event to one webhook')
    .command('list')
    .description('list deliveries with their attempts, newest first')
    .option('--account <id>', 'of this account', parseId)
    .option('--webhook <id>', 'to this webhook', parseId)
    .option('--event <id>', 'of this event', parseId)
    .addOption(new Option('--state <state>', 'in this state').choices(['pending', 'delivered', 'failed', 'skipped']))
    .addOption(limitOption())
    .option('--json', 'print one JSON document')
    .action(list);
}

async function list({ account, webhook, event, state, limit, json }: Options): Promise<void> {
  const filter = {
    ...(account === undefined ? {} : { accountId: account }),
    ...(webhook === undefined ? {} : { webhookId: webhook }),
    ...(event === undefined ? {} : { eventId: event }),
    ...(state === undefined ? {} : { state }),
  };
  const deliveries = await withConnections(({ db }) =>
    newest(limit, (most) => listDeliveries(db, { ...filter, limit: most })),
  );
  const brief = deliveries.map((delivery) => ({
    id: delivery.id,
    event_id: delivery.eventId,
    webhook_id: delivery.webhookId,
    state: delivery.state,
    reason: delivery.reason,
    attempts: delivery.attempts,
    next_attempt_at: delivery.nextAttemptAt,
    created_at: delivery.createdAt,
  }));
  print(json ? brief.map((row, index) => ({ ...row, made: deliveries[index]?.made.map(attemptOf) ?? [] })) : brief, {
    json,
  });
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
