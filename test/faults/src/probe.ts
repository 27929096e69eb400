import { setTimeout as sleep } from 'node:timers/promises';
import { sampleEvent } from '@ringback/samples';
import type { Program } from './program.js';
import type { Stage } from './story.js';
import { usageOf } from './usage.js';
import type { Api } from './world.js';

type Outage = {
  api: Api;
  workers: Program[];
  withinMs: number;
  least?: number;
  readable?: boolean;
  act: () => Promise<void>;
};

/**
 * Asks the API again and again, while the act runs, to take an event, and for a list of webhooks. Requires an answer
 * within `withinMs`, and that it is 503 in the envelope for an event at least `least` times; with `readable`, which is for
 * outages that the API does not need to care about, never. Its events are not counted among the story's. The workers must not be busy meanwhile; neither they nor the API may
 * grow.
 */
export async function requireUnavailable(
  stage: Stage,
  { api, workers, withinMs, least = 2, readable = false, act }: Outage,
): Promise<void> {
  const { platformToken, account, webhooks } = stage;
  let over = false;
  const refused = { push: 0, list: 0 };
  let [listed, maxMs] = [0, 0];
  const probe = async (what: keyof typeof refused, ask: () => Promise<Answer>) => {
    while (!over) {
      const { status, text, tookMs } = await ask();
      maxMs = Math.max(maxMs, tookMs);
      // A list that was asked for during the outage counts whenever it comes.
      if (status === 200) listed++;
      if (over) return;
      if (status === 503 && isEnvelope(text)) refused[what]++;
      else if (status !== 202 && status !== 200)
        stage.require(false, `the API answered ${status} ${text.slice(0, 200)}`);
      await sleep(100);
    }
  };
  const body = () => JSON.stringify(sampleEvent('sms', { webhookId: webhooks[0] }));
  const probing = Promise.all([
    probe('push', () => call(`${api.baseUrl}/events`, platformToken, { method: 'POST', body: body() })),
    probe('list', () => call(`${api.baseUrl}/developer/webhooks`, account.accessToken)),
  ]);
  const quiet = requireQuiet(stage, workers, () => requireNoGrowth(stage, 'the API', [api], act));
  await quiet.finally(() => (over = true));
  await probing;
  const isRefusing = readable ? refused.push === 0 : refused.push >= least;
  stage.require(isRefusing, `the API said 503 ${refused.push} times`);
  const lists = `the API listed webhooks ${listed} times and said 503 ${refused.list} times`;
  if (readable) stage.require(listed >= 1 && refused.list === 0, lists);
  stage.requireWithin(withinMs, maxMs, 'an answer of the API');
  const times = `${refused.push} times to a push, ${refused.list} times to a list`;
  stage.note(`the API said 503 ${times}, after ${Math.round(maxMs)} ms at most`);
}

// Of a core, of which a worker with nothing to do takes some hundredths.
const maxShare = 0.4;
// The API goes on working meanwhile, and a young process grows for a while.
const maxGrowthMb = 160;

/** Requires that the workers wait, and neither try all the time nor gather what they cannot do. */
async function requireQuiet(stage: Stage, workers: Program[], act: () => Promise<void>): Promise<void> {
  const before = workers.map(({ pid }) => usageOf(pid).cpuMs);
  const startedAt = performance.now();
  await requireNoGrowth(stage, 'a worker', workers, act);
  const tookMs = performance.now() - startedAt;
  const share = Math.max(...workers.map(({ pid }, index) => (usageOf(pid).cpuMs - (before[index] ?? 0)) / tookMs));
  stage.require(share <= maxShare, `a worker took ${Math.round(share * 100)} % of a core meanwhile`);
  stage.note(`workers took ${Math.round(share * 100)} % of a core meanwhile`);
}

async function requireNoGrowth(
  stage: Stage,
  who: string,
  programs: Pick<Program, 'pid'>[],
  act: () => Promise<void>,
): Promise<void> {
  const before = programs.map(({ pid }) => usageOf(pid).rssMb);
  await act();
  const growthMb = Math.max(...programs.map(({ pid }, index) => usageOf(pid).rssMb - (before[index] ?? 0)));
  stage.require(growthMb <= maxGrowthMb, `${who} had ${Math.round(growthMb)} MB more after it`);
  stage.note(`${who} had ${Math.round(growthMb)} MB more`);
}

type Answer = { status: number; text: string; tookMs: number };

async function call(url: string, token: string, request: RequestInit = {}): Promise<Answer> {
  const from = performance.now();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const asked = fetch(url, { ...request, headers, signal: AbortSignal.timeout(10_000) });
  const answer = await asked.then(
    async (response) => ({ status: response.status, text: await response.text() }),
    (error: unknown) => ({ status: 0, text: String(error) }),
  );
  return { ...answer, tookMs: performance.now() - from };
}

function isEnvelope(text: string): boolean {
  const { status, code, message }: Record<string, unknown> = JSON.parse(text);
  return status === 'ServiceUnavailable' && code === 503 && typeof message === 'string';
}
