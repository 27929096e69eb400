/** One call as the receiver saw it, in its own append-only record. */
export type Call = {
  delivery: string;
  attempt: number;
  message: string;
  at: number;
  path: string;
  /** The Authorization header. */
  bearer: string;
  /** The status it was answered with; 0 when it was not. */
  status: number;
};

/** One delivery as the ledger has it. */
export type LedgerDelivery = {
  id: string;
  message: string;
  channel: 'sms' | 'rcs';
  state: 'pending' | 'delivered' | 'failed' | 'skipped';
  reason: string | null;
  attempts: number;
  /** The numbers of its recorded attempts. */
  recorded: readonly number[];
  /** Of these, the numbers of those to which no answer came in time, whatever the receiver says. */
  unanswered: readonly number[];
};

export type Evidence = {
  /** The message ids of the events that were acknowledged. */
  acknowledged: Iterable<string>;
  calls: readonly Call[];
  deliveries: readonly LedgerDelivery[];
  /** How many attempts a delivery has before it may be `failed`. */
  maxAttempts: Record<LedgerDelivery['channel'], number>;
  /** How long a retry waits after so many attempts, in ms; not looked at when absent. */
  waitMs?: (channel: LedgerDelivery['channel'], attempts: number) => number;
  /** Events that the story checks itself. Neither they nor their calls are checked here. */
  excludedMessageIds?: ReadonlySet<string>;
};

export type Findings = {
  events: number;
  delivered: number;
  /** Ended by the rules without a success: attempts exhausted, or skipped with a reason. */
  ended: number;
  lost: number;
  /** Calls whose delivery and attempt were seen before. */
  duplicates: number;
  problems: string[];
};

const isSuccess = ({ status }: Call) => status === 200 || status === 202;

/**
 * Holds what was acknowledged against the receiver's record and the ledger. Lost is what the receiver never answered
 * with success and the ledger did not end by the rules. Whatever contradicts itself is a problem.
 */
export function check(evidence: Evidence): Findings {
  const { acknowledged, deliveries, maxAttempts, excludedMessageIds = new Set(), waitMs = () => 0 } = evidence;
  const calls = evidence.calls.filter(({ message }) => !excludedMessageIds.has(message));
  const problems: string[] = [];
  const ledger = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  const ofMessage = groupBy(deliveries, ({ message }) => message);
  const succeeded = groupBy(calls.filter(isSuccess), ({ message }) => message);
  let [events, delivered, ended, lost] = [0, 0, 0, 0];
  for (const message of acknowledged) {
    if (excludedMessageIds.has(message)) continue;
    events++;
    const rows = ofMessage.get(message) ?? [];
    if (rows.length !== 1) problems.push(`the event ${message} has ${rows.length} deliveries`);
    const isOver = rows.length > 0 && rows.every((row) => isLegallyOver(row, maxAttempts));
    if (succeeded.has(message)) delivered++;
    else if (isOver) ended++;
    else lost++;
    const [odd] = succeeded.has(message) ? rows.filter(({ state }) => state !== 'delivered') : [];
    if (odd) problems.push(`${message} was answered with success and is ${odd.state}, ${odd.reason}`);
    if (!succeeded.has(message) && rows.some(({ state }) => state === 'delivered'))
      problems.push(`${message} is delivered in the ledger, and no receiver knows of it`);
  }
  const { duplicates, problems: strange } = checkCalls(calls, ledger);
  const early = findEarly(calls, ledger, waitMs);
  return { events, delivered, ended, lost, duplicates, problems: summarise([...problems, ...strange, ...early]) };
}

function isLegallyOver(row: LedgerDelivery, maxAttempts: Evidence['maxAttempts']): boolean {
  if (row.state === 'skipped') return row.reason !== null;
  const most = maxAttempts[row.channel];
  return row.state === 'failed' && row.attempts === most && row.recorded.length === most;
}

function checkCalls(
  calls: readonly Call[],
  ledger: Map<string, LedgerDelivery>,
): { duplicates: number; problems: string[] } {
  const problems: string[] = [];
  const seen = new Map<string, number>();
  const succeededAt = new Map<string, number>();
  let duplicates = 0;
  for (const call of calls) {
    const { delivery, attempt } = call;
    const key = `${delivery} ${attempt}`;
    if (seen.has(key)) duplicates++;
    seen.set(key, (seen.get(key) ?? 0) + 1);
    const row = ledger.get(delivery);
    if (row === undefined) problems.push(`a call of the delivery ${delivery}, which the ledger does not have`);
    else if (!row.recorded.includes(attempt))
      problems.push(`attempt ${attempt} of ${delivery} was called and is not recorded`);
    const success = succeededAt.get(delivery);
    if (success !== undefined && attempt > success) problems.push(`${delivery} was called again after its success`);
    if (isSuccess(call) && !row?.unanswered.includes(attempt))
      succeededAt.set(delivery, Math.min(success ?? Infinity, attempt));
  }
  return { duplicates, problems };
}

// Times are whole milliseconds on either side.
const slackMs = 2;

/**
 * Attempts that came before their wait was over, from the first call of the one before. One to which no answer came in time
 * may have reached its receiver at any time.
 */
function findEarly(
  calls: readonly Call[],
  ledger: Map<string, LedgerDelivery>,
  waitMs: NonNullable<Evidence['waitMs']>,
): string[] {
  const firstAt = new Map<string, number>();
  for (const { delivery, attempt, at } of calls) {
    const key = `${delivery} ${attempt}`;
    firstAt.set(key, Math.min(at, firstAt.get(key) ?? Infinity));
  }
  const problems: string[] = [];
  for (const [key, at] of firstAt) {
    const [delivery = '', attempt] = key.split(' ');
    const before = firstAt.get(`${delivery} ${Number(attempt) - 1}`);
    const row = ledger.get(delivery);
    if (before === undefined || row === undefined || row.unanswered.includes(Number(attempt) - 1)) continue;
    const least = waitMs(row.channel, Number(attempt) - 1);
    if (at - before < least - slackMs)
      problems.push(
        `attempt ${attempt} of ${delivery} came ${at - before} ms after the one before, which is to be ${least} ms`,
      );
  }
  return problems;
}

/** Many problems of a kind are told by their number. */
function summarise(problems: string[]): string[] {
  if (problems.length <= 5) return problems;
  return [...problems.slice(0, 5), `… and ${problems.length - 5} more`];
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}
