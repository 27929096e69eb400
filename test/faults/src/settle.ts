import { awaitState } from './await-state.js';
import { check } from './check.js';
import { countMissing, readCounts, readDeliveries } from './ledger.js';
import type { Load } from './load.js';
import type { Settled, SettleOptions } from './scenario.js';
import type { Testbed } from './testbed.js';

/**
 * Waits until every acknowledged event is stored and no delivery is pending, at most for `withinMs`. Then checks the
 * events of the loads.
 */
export async function settle(
  testbed: Testbed,
  loads: Load[],
  options: SettleOptions & { from: number },
): Promise<Settled> {
  const acknowledged = loads.flatMap((load) => [...load.acknowledged.keys()]);
  const timeouts: string[] = [];
  await awaitSettled(testbed, acknowledged, options.withinMs ?? 180_000).catch((error: Error) =>
    timeouts.push(error.message),
  );
  const recoveryMs = Math.max(0, Date.now() - options.from);
  const findings = await checkTestbed(testbed, acknowledged, options);
  return { ...findings, problems: [...timeouts, ...findings.problems], recoveryMs };
}

async function awaitSettled(testbed: Testbed, acknowledged: string[], withinMs: number): Promise<void> {
  let lastCounts = '';
  const isSettled = async () => {
    const missing = await countMissing(testbed, acknowledged);
    const { pending } = await readCounts(testbed);
    lastCounts = `${missing} of ${acknowledged.length} events are missing, ${pending} deliveries are pending`;
    return missing === 0 && pending === 0;
  };
  await awaitState('every delivery is final', isSettled, { withinMs, everyMs: 250 }).catch((error: Error) => {
    throw new Error(`${error.message} (${lastCounts})`);
  });
}

async function checkTestbed(testbed: Testbed, acknowledged: string[], options: SettleOptions) {
  const { maxAttempts = { sms: 4, rcs: 3 }, excludedMessageIds = new Set(), mapCalls } = options;
  const calls = mapCalls ? mapCalls(testbed.recorder.calls) : testbed.recorder.calls;
  const scale = Number(testbed.env['RETRY_TIME_SCALE']);
  const waitMs = (channel: 'sms' | 'rcs', attempts: number) =>
    (channel === 'sms' ? 1_800_000 : Math.min(10 ** attempts * 1_000, 100_000_000)) * scale;
  const deliveries = await readDeliveries(testbed);
  return check({ acknowledged, calls, deliveries, maxAttempts, waitMs, excludedMessageIds });
}
