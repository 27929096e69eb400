import {
  claimedBy,
  deadReceiverStatement,
  dispatcherStatements,
  type Dispatching,
  dueEach,
  healthyCount,
  maxPerWebhook,
  prepareDispatching,
} from '../dispatch-statements.js';
import { insertDue, storeDue } from '../due-deliveries.js';
import { describeLatency } from '../measurements.js';
import type { Result, Row } from '../result.js';
import { type BenchOptions, startStack } from '../stack.js';

const maxRounds = 220;
const warmUpRounds = 20;
const overDays = 3;

type Closing = (() => Promise<void>)[];
type Side = { waiting: number; dispatching: Dispatching; fill(count: number): Promise<void> };

/**
 * Measures the statements of a dispatcher for 100 healthy webhooks while deliveries wait for a dead receiver, all due,
 * beside the same statements without them. No worker runs. The two ledgers are on servers of their own and take turns,
 * so that other load of the machine slows both. Last it measures claims of the dead receiver's deliveries, which are
 * then postponed.
 *
 * The waiting deliveries are copies by SQL. They have no attempts, their events no keys, and 100 of them share an
 * event.
 */
export async function claims(options: BenchOptions): Promise<Result> {
  const closing: Closing = [];
  // Each claim of the dead receiver's deliveries takes other deliveries.
  const rounds = Math.min(maxRounds, Math.floor(options.pending / maxPerWebhook));
  try {
    const none = await open(options, { waiting: 0, closing });
    const many = await open(options, { waiting: options.pending, closing });
    await many.fill(options.pending);
    options.setStep('rounds of a dispatcher');
    await takeTurns([none, many], rounds, ({ dispatching }) => dispatching.runRound());
    const few = rounds * maxPerWebhook;
    await none.fill(few);
    options.setStep("claims of the dead receiver's deliveries");
    await takeTurns([none, many], rounds, ({ dispatching }) => dispatching.claimForDead());
    const rows = [
      ...dispatcherStatements.flatMap((name) => compare(name, [none, many])),
      ...compare(deadReceiverStatement, [{ ...none, waiting: few }, many]),
    ];
    const title = `Claims: ${healthyCount} webhooks with ${dueEach} due deliveries each, while others wait for a dead receiver`;
    return { scenario: 'claims', title, rows };
  } finally {
    for (const close of closing) await close();
  }
}

async function open(options: BenchOptions, { waiting, closing }: { waiting: number; closing: Closing }): Promise<Side> {
  const stack = await startStack({ ...options, workers: 0 });
  closing.push(() => stack.stop());
  const [dead] = await stack.addWebhooks('dead', 1);
  if (!dead) throw new Error('no webhook was created');
  const dispatching = await prepareDispatching(stack, dead);
  closing.unshift(() => dispatching.close());
  const fill = async (count: number) => {
    options.setStep(`inserting ${count} due deliveries`);
    await storeDue(stack, [dead], 1);
    await insertDue(stack, dead, { count, overDays, setFraction: options.setFraction });
  };
  return { waiting, dispatching, fill };
}

/** Each side goes first in every other round. */
async function takeTurns(sides: Side[], count: number, act: (side: Side) => Promise<void>): Promise<void> {
  for (let round = 0; round < count; round++)
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) await act(side);
}

/** A row for each side. The ratios are those of the medians. */
function compare(name: string, sides: Side[]): Row[] {
  const measured = sides.map(({ waiting, dispatching }) => {
    const samples = (dispatching.samples.get(name) ?? []).slice(warmUpRounds);
    const time = describeLatency(samples.map(({ ms }) => ms));
    return { waiting, time, cpuUs: describeLatency(samples.map(({ cpuUs }) => cpuUs)).p50 };
  });
  return measured.map(({ waiting, time, cpuUs }) => ({
    statement: name,
    waiting,
    ratio: time.p50 / (measured[0]?.time.p50 ?? Number.NaN),
    'p50 ms': time.p50,
    'p95 ms': time.p95,
    'CPU ratio': cpuUs / (measured[0]?.cpuUs ?? Number.NaN),
    'CPU µs': cpuUs,
    ...(name in claimedBy ? { 'CPU µs each': cpuUs / (claimedBy[name] ?? 1) } : {}),
  }));
}
