import { setTimeout as sleep } from 'node:timers/promises';
import { sampleEvent } from '@ringback/samples';
import type { Stage } from './story.js';
import type { Api } from './world.js';

/**
 * Asks the API again and again, while the act runs, to take an event, and requires that it says 503 in the envelope,
 * within `withinMs`, at least `least` times. Its events are not counted among the story's.
 */
export async function requireUnavailable(
  stage: Stage,
  api: Api,
  { withinMs, least = 2, act }: { withinMs: number; least?: number; act: () => Promise<void> },
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
  await act().finally(() => (over = true));
  await probing;
  stage.require(refused >= least, `the API said 503 ${refused} times`);
  stage.requireWithin(withinMs, longestMs, 'an answer of the API');
  stage.note(`the API said 503 ${refused} times, after ${Math.round(longestMs)} ms at most`);
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
