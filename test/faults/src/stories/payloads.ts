import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { subscribe } from '@ringback/database';
import { awaitState } from '../await-state.js';
import { p99OfDelays } from '../delays.js';
import { readDeliveries } from '../ledger.js';
import type { Stage, Story } from '../story.js';
import { usageOf } from '../usage.js';

const event = 'sms:message:status';
const maxGrowthMb = 500;
// Another byte or two, and the API would refuse it.
const textBytes = 4_000_000;

/** Events as large as they may be, for hundreds of receivers that hang, are no more in memory than a worker can bear. */
export const largePayloads: Story = {
  name: 'large-payloads',
  calm: true,
  title:
    'events of 4 MB for hundreds of unresponsive receivers: ten healthy ones are not delayed, and memory is bounded',
  backends: ['redis', 'postgres'],
  env: { WORKER_CONCURRENCY: '200', CALLBACK_TIMEOUT_MS: '3000' },
  async play(stage) {
    const count = stage.bySize({ small: 60, normal: 200, full: 600 });
    const { accountId, webhooks } = await stage.addAccount('/large', count);
    for (const webhookId of webhooks) await subscribe(stage.db, accountId, { event, identity: 'all', webhookId });
    let hangs = true;
    stage.recorder.behave(({ path }) => (path === '/large' && hangs ? 'hang' : { status: 200 }));
    const [api, worker] = [await stage.startApi(), await stage.startWorker()];
    const [byHttp, byQueue] = [stage.openLoad(api), stage.openLoad()];
    await byQueue.push(200);
    await stage.settle(byQueue);
    const before = usageOf(worker.pid).rssMb;
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, usageOf(worker.pid).rssMb)), 50);
    try {
      const large = await pushLarge(stage, { accountId, baseUrl: api.baseUrl });
      stage.recordFault(`${large.size} events of 4 MB for ${count} receivers that hang`);
      const stop = byHttp.keepPushing(20);
      await sleep(stage.bySize({ small: 6_000, normal: 12_000, full: 30_000 }));
      await stop();
      hangs = false;
      stage.recordFault('the receivers are well again');
      await stage.settle([byHttp, byQueue], { excludedMessageIds: large, withinMs: 280_000 });
      await requireLarge(stage, { large, expected: large.size * count });
    } finally {
      clearInterval(watch);
    }
    const p99 = p99OfDelays(stage.recorder.calls, byHttp);
    stage.note(`the worker had ${Math.round(most - before)} MB more; p99 of the healthy ${Math.round(p99)} ms`);
    stage.require(most - before <= maxGrowthMb, `the worker had ${Math.round(most - before)} MB more`);
    stage.requireWithin(1_500, p99, 'the p99 of the healthy');
  },
};

/** Pushes two such events over HTTP and two by queue; resolves with their message ids. */
async function pushLarge(stage: Stage, { accountId, baseUrl }: { accountId: string; baseUrl: string }) {
  const ids = Array.from({ length: 4 }, () => `${randomUUID()}:1`);
  const headers = { authorization: `Bearer ${stage.platformToken}`, 'content-type': 'application/json' };
  for (const [index, id] of ids.entries()) {
    const data = { account_id: accountId, payload: { id, text: 'x'.repeat(textBytes) } };
    if (index < 2) {
      await stage.queues.pushEvents('sms', [{ name: event, data }]);
      continue;
    }
    const body = JSON.stringify({ event, ...data });
    const { status } = await fetch(`${baseUrl}/events`, { method: 'POST', headers, body });
    stage.require(status === 202, `the API said ${status} to a large event`);
  }
  return new Set(ids);
}

/** Each has been answered with success, or has had all its attempts. */
async function requireLarge(stage: Stage, { large, expected }: { large: Set<string>; expected: number }) {
  let rows: Awaited<ReturnType<typeof readDeliveries>> = [];
  const areOver = async () => {
    rows = (await readDeliveries(stage)).filter(({ message }) => large.has(message));
    return rows.length === expected && rows.every(({ state }) => state !== 'pending');
  };
  await awaitState('the large ones are over', areOver, { withinMs: 240_000, everyMs: 500 });
  const succeeded = new Set(
    stage.recorder.calls.filter(({ status }) => status === 200).map(({ delivery }) => delivery),
  );
  const delivered = rows.filter(({ state }) => state === 'delivered');
  const unfounded = delivered.filter(({ id }) => !succeeded.has(id)).length;
  stage.require(unfounded === 0, `${unfounded} large ones are delivered, and no receiver knows of them`);
  const early = rows.filter(({ state, attempts }) => state === 'failed' && attempts < 4).length;
  stage.require(early === 0, `${early} large ones failed before their last attempt`);
  stage.note(`${delivered.length} of ${rows.length} large ones were delivered`);
}
