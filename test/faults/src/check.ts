import { groupBy } from '@ringback/process';

/** A call that the receiver recorded. */
export type Call = {
  delivery: string;
  attempt: number;
  message: string;
  at: number;
  path: string;
  /** The value of the Authorization header. */
  authorization: string;
  /** The status of the response; 0 if the receiver injected a fault instead. */
  status: number;
};

/** A delivery in the ledger. */
export type LedgerDelivery = {
  id: string;
  message: string;
  channel: 'sms' | 'rcs';
  state: 'pending' | 'delivered' | 'failed' | 'skipped';
  reason: string | null;
  attempts: number;
  /** The numbers of the recorded attempts. */
  recorded: readonly number[];
  /** The numbers of the recorded attempts that got no response in time, even if the receiver sent one. */
  unanswered: readonly number[];
};

export type Evidence = {
  /** The message ids of the acknowledged events. */
  acknowledged: Iterable<string>;
  calls: readonly Call[];
  deliveries: readonly LedgerDelivery[];
  /** The number of attempts after which a delivery may be `failed`. */
  maxAttempts: Record<LedgerDelivery['channel'], number>;
  /** Returns the wait after the given number of attempts, in ms. Without this function, waits are not checked. */
  waitMs?: (channel: LedgerDelivery['channel'], attempts: number) => number;
  /** Events that the scenario checks itself. Neither they nor their calls are checked here. */
  excludedMessageIds?: ReadonlySet<string>;
};

export type Findings = {
  events: number;
  delivered: number;
  /** Events whose delivery is final without a success: all attempts failed, or it was skipped for a reason. */
  finishedWithoutSuccess: number;
  lost: number;
  /** Calls that repeat an attempt of a delivery. */
  duplicates: number;
  problems: string[];
};

type Ledger = ReadonlyMap<string, LedgerDelivery>;

const isSuccess = ({ status }: Call) => status === 200 || status === 202;
/** Whether the worker got the response in time, as far as the ledger says. */
const isAnswered = ({ delivery, attempt }: Call, ledger: Ledger) =>
  ledger.get(delivery)?.unanswered.includes(attempt) !== true;

/**
 * Compares the acknowledged events with the receiver's calls and the ledger. An event is lost if no call of it
 * succeeded and its delivery did not end without a success. Contradictions between calls and ledger are problems.
 */
export function check(evidence: Evidence): Findings {
  const { acknowledged, deliveries, excludedMessageIds = new Set(), waitMs = () => 0 } = evidence;
  const isIncluded = (message: string) => !excludedMessageIds.has(message);
  const calls = evidence.calls.filter(({ message }) => isIncluded(message));
  const ledger = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  const events = checkEvents([...acknowledged].filter(isIncluded), calls, ledger, evidence);
  const { duplicates, problems } = checkCalls(calls, ledger);
  const early = findEarlyAttempts(calls, ledger, waitMs);
  return { ...events, duplicates, problems: truncate([...events.problems, ...problems, ...early]) };
}

function checkEvents(
  messages: string[],
  calls: readonly Call[],
  ledger: Ledger,
  { deliveries, maxAttempts }: Evidence,
): Omit<Findings, 'duplicates'> {
  const problems: string[] = [];
  const rowsByMessage = groupBy(deliveries, ({ message }) => message);
  const succeeded = new Set(calls.filter(isSuccess).map(({ message }) => message));
  const answered = calls.filter((call) => isSuccess(call) && isAnswered(call, ledger));
  const succeededInTime = new Set(answered.map(({ message }) => message));
  let [delivered, finishedWithoutSuccess, lost] = [0, 0, 0];
  for (const message of messages) {
    const rows = rowsByMessage.get(message) ?? [];
    problems.push(...checkRows(message, rows, succeededInTime.has(message)));
    if (succeeded.has(message)) delivered++;
    else if (rows.length > 0 && rows.every((row) => hasEndedWithoutSuccess(row, maxAttempts))) finishedWithoutSuccess++;
    else lost++;
  }
  return { events: messages.length, delivered, finishedWithoutSuccess, lost, problems };
}

/**
 * Compares the deliveries of an event with the calls: exactly one delivery, `delivered` if and only if a call succeeded
 * in time. On a busy machine a receiver may respond after the timeout, and a delivery whose last attempt is such a one
 * is rightly `failed`.
 */
function checkRows(message: string, rows: LedgerDelivery[], hasSucceeded: boolean): string[] {
  const problems = rows.length === 1 ? [] : [`the event ${message} has ${rows.length} deliveries`];
  const wrongRow = rows.find(({ state }) => (state === 'delivered') !== hasSucceeded);
  if (wrongRow && hasSucceeded)
    problems.push(`a call of ${message} succeeded, and it is ${wrongRow.state}, ${wrongRow.reason}`);
  else if (wrongRow) problems.push(`${message} is delivered in the ledger, and no call of it succeeded`);
  return problems;
}

/**
 * Whether the delivery ended without a success: all its attempts are made and recorded, or it is skipped for a reason.
 */
function hasEndedWithoutSuccess(row: LedgerDelivery, maxAttempts: Evidence['maxAttempts']): boolean {
  if (row.state === 'skipped') return row.reason !== null;
  const expected = maxAttempts[row.channel];
  return row.state === 'failed' && row.attempts === expected && row.recorded.length === expected;
}

function checkCalls(calls: readonly Call[], ledger: Ledger): { duplicates: number; problems: string[] } {
  const problems: string[] = [];
  const seen = new Set<string>();
  const firstSuccesses = new Map<string, number>();
  let duplicates = 0;
  for (const call of calls) {
    const { delivery, attempt } = call;
    const key = `${delivery} ${attempt}`;
    if (seen.has(key)) duplicates++;
    seen.add(key);
    const row = ledger.get(delivery);
    if (row === undefined) problems.push(`a call of the delivery ${delivery}, which is not in the ledger`);
    else if (!row.recorded.includes(attempt)) problems.push(`attempt ${attempt} of ${delivery} is not recorded`);
    const firstSuccess = firstSuccesses.get(delivery);
    if (firstSuccess !== undefined && attempt > firstSuccess)
      problems.push(`${delivery} was called again after its success`);
    if (isSuccess(call) && isAnswered(call, ledger))
      firstSuccesses.set(delivery, Math.min(firstSuccess ?? Infinity, attempt));
  }
  return { duplicates, problems };
}

// Both times are rounded to milliseconds.
const toleranceMs = 2;

/**
 * Finds attempts that came before their wait was over. The wait starts with the first call of the previous attempt. If
 * that attempt got no response in time, its call may have arrived at any time, so the wait is not checked.
 */
function findEarlyAttempts(calls: readonly Call[], ledger: Ledger, waitMs: NonNullable<Evidence['waitMs']>): string[] {
  const firstAt = new Map<string, number>();
  for (const { delivery, attempt, at } of calls) {
    const key = `${delivery} ${attempt}`;
    firstAt.set(key, Math.min(at, firstAt.get(key) ?? Infinity));
  }
  const problems: string[] = [];
  for (const [key, at] of firstAt) {
    const [delivery = '', attempt] = key.split(' ');
    const previous = Number(attempt) - 1;
    const previousAt = firstAt.get(`${delivery} ${previous}`);
    const row = ledger.get(delivery);
    if (previousAt === undefined || row === undefined || row.unanswered.includes(previous)) continue;
    const [waitedMs, requiredMs] = [at - previousAt, waitMs(row.channel, previous)];
    if (waitedMs < requiredMs - toleranceMs)
      problems.push(`attempt ${attempt} of ${delivery} came after ${waitedMs} ms instead of ${requiredMs} ms`);
  }
  return problems;
}

/** Keeps the first five problems, and adds the number of the others. */
function truncate(problems: string[]): string[] {
  if (problems.length <= 5) return problems;
  return [...problems.slice(0, 5), `… and ${problems.length - 5} more`];
}
