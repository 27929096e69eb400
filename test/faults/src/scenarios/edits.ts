import type { Load } from '../load.js';
import { awaitState, type Scenario, type ScenarioContext } from '../scenario.js';
import { readDeliveries } from '../settle.js';

const eventCount = 10;

/** Each attempt uses the settings that the webhook has when the attempt starts. */
export const edits: Scenario = {
  name: 'edits',
  requiresNoErrors: true,
  title: "a webhook changes between attempts: each attempt uses the webhook's current settings",
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
      { path: '/uri', act: edit('/corrected', {}), state: 'delivered', retryPath: '/corrected' },
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
    for (const editCase of cases) {
      const id = await context.addWebhook(editCase.path);
      const load = context.createLoad();
      loads.push(load);
      await load.push(eventCount, { webhooks: [id], kind: 'sms' });
      const areAttempted = () => recorder.calls.filter(({ path }) => path === editCase.path).length >= eventCount;
      await awaitState(`first attempts are made at ${editCase.path}`, areAttempted, { everyMs: 20 });
      await editCase.act(id);
      context.recordFault(`edited: ${editCase.path}`);
    }
    await context.settle(loads);
    for (const [index, editCase] of cases.entries()) await requireEnd(context, loads[index], editCase);
  },
};

type Call = (method: string, id: string, body?: object) => Promise<void>;

const restore = (call: Call) => async (id: string) => {
  await call('DELETE', id);
  await call('POST', `${id}/restore`);
};

type Case = { path: string; state: string; retryPath?: string; authorization?: string };

async function requireEnd(
  context: ScenarioContext,
  load: Load | undefined,
  { path, state: expected, retryPath = path, authorization }: Case,
): Promise<void> {
  const messages = new Set(load?.acknowledged.keys());
  const rows = (await readDeliveries(context)).filter(({ message }) => messages.has(message));
  const attemptsAtEnd = expected === 'skipped' ? 1 : 2;
  const wrong = rows.filter(({ state, attempts }) => state !== expected || attempts !== attemptsAtEnd);
  context.require(
    rows.length === eventCount && wrong.length === 0,
    `${path}: ${wrong.length} of ${rows.length} are not ${expected}, but ${wrong[0]?.state}`,
  );
  const retries = context.recorder.calls.filter(({ message, attempt }) => messages.has(message) && attempt > 1);
  const misdirected = retries.filter(
    (call) => call.path !== retryPath || (authorization !== undefined && call.authorization !== authorization),
  );
  context.require(
    misdirected.length === 0,
    `${path}: ${misdirected.length} retries had a wrong uri or secret, one went to ${misdirected[0]?.path}`,
  );
}
