import { setTimeout as sleep } from 'node:timers/promises';
import { sampleEvent } from '@ringback/samples';
import type { Program } from './program.js';
import type { Stage } from './story.js';
import { usageOf } from './usage.js';
import type { Api } from './world.js';

type Outage = { api: Api; workers: Program[]; withinMs: number; least?: number; act: () => Promise<void> };

/**
 * Asks the API again and again, while the act runs, to take an event, and requires that it says 503 in the envelope,
 * within `withinMs`, at least `least` times. Its events are not counted among the story's. The workers must not be busy
 * meanwhile, nor grow.
 */
export async function requireUnavailable(
  stage: Stage,
  { api, workers, withinMs, least = 2, act }: Outage,
): Promise<void> {
  let over = false;
  let refused = 0;
  let longestMs = 0;
  const probing = (async () => {
    while (!over) {
      const { status, text, tookMs } = await ask(api, stage);
      if (over) return;
      longestMs = Math.max(longestMs, tookMs);
      if (status === 503 && isEnvelope(text)) refused++;
      else if (status !== 202) stage.require(false, `the API answered ${status} ${text.slice(0, 200)}`);
      await sleep(100);
    }
  })();
  await requireQuiet(stage, workers, act).finally(() => (over = true));
  await probing;
  stage.require(refused >= least, `the API said 503 ${refused} times`);
  stage.requireWithin(withinMs, longestMs, 'an answer of the API');
  stage.note(`the API said 503 ${refused} times, after ${Math.round(longestMs)} ms at most`);
}

// Of a core, of which a worker with nothing to do takes some hundredths.
const mostShare = 0.4;
const mostGrowthMb = 100;

/** Requires that the workers wait, and neither try all the time nor gather what they cannot do. */
async function requireQuiet(stage: Stage, workers: Program[], act: () => Promise<void>): Promise<void> {
  const before = workers.map(({ pid }) => usageOf(pid));
  const startedAt = performance.now();
  await act();
  const tookMs = performance.now() - startedAt;
  const after = workers.map(({ pid }) => usageOf(pid));
  const share = Math.max(...after.map(({ cpuMs }, index) => (cpuMs - (before[index]?.cpuMs ?? 0)) / tookMs));
  const growthMb = Math.max(...after.map(({ rssMb }, index) => rssMb - (before[index]?.rssMb ?? 0)));
  stage.require(share <= mostShare, `a worker took ${Math.round(share * 100)} % of a core meanwhile`);
  stage.require(growthMb <= mostGrowthMb, `a worker had ${Math.round(growthMb)} MB more after it`);
  stage.note(`workers took ${Math.round(share * 100)} % of a core meanwhile, and ${Math.round(growthMb)} MB more`);
}

async function ask(
  api: Api,
  { platformToken, webhooks }: Stage,
): Promise<{ status: number; text: string; tookMs: number }> {
  const from = performance.now();
  const headers = { authorization: `Bearer ${platformToken}`, 'content-type': 'application/json' };
  const event = sampleEvent('sms', { webhookId: webhooks[0] });
  const signal = AbortSignal.timeout(10_000);
  const asked = fetch(`${api.baseUrl}/events`, { method: 'POST', headers, body: JSON.stringify(event), signal });
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
