import { awaitState } from '../await-state.js';
import { readDeliveries } from '../ledger.js';
import type { Load } from '../load.js';
import type { Stage, Story } from '../story.js';

const count = 10;

/** What changes about a webhook between two attempts counts at the next one. */
export const edits: Story = {
  name: 'edits',
  calm: true,
  title: 'a webhook changes between attempts: each attempt uses its current settings',
  backends: ['redis', 'postgres'],
  webhooks: 1,
  // SMS is retried after 5.4 s, which leaves time for all the edits.
  env: { RETRY_TIME_SCALE: '0.003' },
  async play(stage) {
    const { recorder } = stage;
    recorder.behave(({ path, attempt }) => ({ status: attempt === 1 || path === '/uri' ? 500 : 200 }));
    const api = await stage.startApi();
    await stage.startWorker();
    const call = async (method: string, id: string, body?: object) => {
      const headers = { authorization: `Bearer ${stage.account.accessToken}`, 'content-type': 'application/json' };
      const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
      const response = await fetch(`${api.baseUrl}/developer/webhooks/${id}`, init);
      if (response.status !== 200) throw new Error(`${method} answered ${response.status} ${await response.text()}`);
    };
    const edit = (path: string, change: object) => (id: string) =>
      call('PUT', id, { name: path, uri: `${recorder.origin}${path}`, ...change });
    const cases = [
      { path: '/uri', act: edit('/corrected', {}), ends: 'delivered', at: '/corrected' },
      { path: '/secret', act: edit('/secret', { secret: 'another' }), ends: 'delivered', bearer: 'Bearer another' },
      { path: '/inactive', act: edit('/inactive', { status: 0 }), ends: 'skipped' },
      { path: '/deleted', act: (id: string) => call('DELETE', id), ends: 'skipped' },
      { path: '/restored', act: restore(call), ends: 'delivered' },
    ];
    const loads: Load[] = [];
    for (const one of cases) {
      const id = await stage.addWebhook(one.path);
      const load = stage.openLoad();
      loads.push(load);
      await load.push(count, { webhooks: [id], kind: 'sms' });
      const tried = () => recorder.calls.filter(({ path }) => path === one.path).length >= count;
      await awaitState(`first attempts at ${one.path}`, tried, { everyMs: 20 });
      await one.act(id);
      stage.recordFault(`edited: ${one.path}`);
    }
    await stage.settle(loads);
    for (const [index, one] of cases.entries()) await requireEnd(stage, loads[index], one);
  },
};

type Call = (method: string, id: string, body?: object) => Promise<void>;

const restore = (call: Call) => async (id: string) => {
  await call('DELETE', id);
  await call('POST', `${id}/restore`);
};

type Case = { path: string; ends: string; at?: string; bearer?: string };

async function requireEnd(
  stage: Stage,
  load: Load | undefined,
  { path, ends, at = path, bearer }: Case,
): Promise<void> {
  const messages = new Set(load?.acknowledged.keys());
  const rows = (await readDeliveries(stage)).filter(({ message }) => messages.has(message));
  const odd = rows.filter(({ state, attempts }) => state !== ends || attempts !== (ends === 'skipped' ? 1 : 2));
  stage.require(
    rows.length === count && odd.length === 0,
    `${path}: ${odd.length} of ${rows.length} are not ${ends}, ${odd[0]?.state}`,
  );
  const later = stage.recorder.calls.filter(({ message, attempt }) => messages.has(message) && attempt > 1);
  const strays = later.filter((call) => call.path !== at || (bearer !== undefined && call.bearer !== bearer));
  stage.require(
    strays.length === 0,
    `${path}: ${strays.length} retries went to ${strays[0]?.path} with another secret or uri`,
  );
}
