import { awaitState } from '../await-state.js';
import { readDeliveries } from '../ledger.js';
import type { Load } from '../load.js';
import type { ScenarioContext, Scenario } from '../scenario.js';

const count = 10;

/** Each attempt uses the settings that the webhook has at its start. */
export const edits: Scenario = {
  name: 'edits',
  requiresNoErrors: true,
  title: 'a webhook changes between attempts: each attempt uses its current settings',
  backends: ['redis', 'postgres'],
  webhooks: 1,
  // SMS is retried after 5.4 s, which is enough time for all edits.
  env: { RETRY_TIME_SCALE: '0.003' },
  async run(context) {
    const { recorder } = context;
    recorder.behave(({ path, attempt }) => ({ status: attempt === 1 || path === '/uri' ? 500 : 200 }));
    const api = await context.startApi();
    await context.startWorker();
    const call = async (method: string, id: string, body?: object) => {
      const headers = { authorization: `Bearer ${context.account.accessToken}`, 'content-type': 'application/json' };
      const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
      const response = await fetch(`${api.baseUrl}/developer/webhooks/${id}`, init);
      if (response.status !== 200)
        throw new Error(`the response to ${method} is ${response.status} ${await response.text()}`);
    };
    const edit = (path: string, change: object) => (id: string) =>
      call('PUT', id, { name: path, uri: `${recorder.origin}${path}`, ...change });
    const cases = [
      { path: '/uri', act: edit('/corrected', {}), state: 'delivered', at: '/corrected' },
      {
        path: '/secret',
        act: edit('/secret', { secret: 'another' }),
        state: 'delivered',
        authorization: 'Bearer another',
      },
      { path: '/inactive', act: edit('/inactive', { status: 0 }), state: 'skipped' },
      { path: '/deleted', act: (id: string) => call('DELETE', id), state: 'skipped' },
      { path: '/restored', act: restore(call), state: 'delivered' },
    ];
    const loads: Load[] = [];
    for (const one of cases) {
      const id = await context.addWebhook(one.path);
      const load = context.createLoad();
      loads.push(load);
      await load.push(count, { webhooks: [id], kind: 'sms' });
      const areAttempted = () => recorder.calls.filter(({ path }) => path === one.path).length >= count;
      await awaitState(`first attempts are made at ${one.path}`, areAttempted, { everyMs: 20 });
      await one.act(id);
      context.recordFault(`edited: ${one.path}`);
    }
    await context.settle(loads);
    for (const [index, one] of cases.entries()) await requireEnd(context, loads[index], one);
  },
};

type Call = (method: string, id: string, body?: object) => Promise<void>;

const restore = (call: Call) => async (id: string) => {
  await call('DELETE', id);
  await call('POST', `${id}/restore`);
};

type Case = { path: string; state: string; at?: string; authorization?: string };

async function requireEnd(
  context: ScenarioContext,
  load: Load | undefined,
  { path, state: expected, at = path, authorization }: Case,
): Promise<void> {
  const messages = new Set(load?.acknowledged.keys());
  const rows = (await readDeliveries(context)).filter(({ message }) => messages.has(message));
  const attemptsAtEnd = expected === 'skipped' ? 1 : 2;
  const wrong = rows.filter(({ state, attempts }) => state !== expected || attempts !== attemptsAtEnd);
  context.require(
    rows.length === count && wrong.length === 0,
    `${path}: ${wrong.length} of ${rows.length} are not ${expected}, but ${wrong[0]?.state}`,
  );
  const retries = context.recorder.calls.filter(({ message, attempt }) => messages.has(message) && attempt > 1);
  const misdirected = retries.filter(
    (call) => call.path !== at || (authorization !== undefined && call.authorization !== authorization),
  );
  context.require(
    misdirected.length === 0,
    `${path}: ${misdirected.length} retries had a wrong uri or secret, one went to ${misdirected[0]?.path}`,
  );
}
