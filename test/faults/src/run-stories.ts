import { withTimeout } from '@ringback/runtime';
import { hasRedis } from '@ringback/testing';
import { openPostgresServer, type PostgresServer } from './postgres-server.js';
import { closeStory, type Result, createStage, type Size, type Story } from './story.js';
import { type BackendName, openWorld } from './world.js';

export type StoryResult = Result & { story: string; backend: BackendName; tookS: number; passed: boolean };

type RunOptions = { backend: BackendName; size: Size; say(line: string): void };

const defaultMaxMs = { test: 300_000, small: 300_000, normal: 300_000, full: 900_000 };

/** Runs stories on one backend, one after the other, with one PostgreSQL, and prints a line for each. */
export async function runStories(stories: readonly Story[], options: RunOptions): Promise<StoryResult[]> {
  const { backend, say } = options;
  if (backend === 'redis' && !hasRedis()) {
    say('skipped everything on redis: there is no redis-server in PATH');
    return [];
  }
  const postgres = await openPostgresServer();
  const results: StoryResult[] = [];
  try {
    for (const story of stories.filter(({ backends }) => backends.includes(backend))) {
      const obstacle = story.obstacle?.();
      if (obstacle !== undefined) say(`skipped ${story.name} on ${backend}: ${obstacle}`);
      else results.push(await runStory(story, { ...options, postgres }));
    }
  } finally {
    await postgres.close();
  }
  return results;
}

/** Runs one story with its own processes and queues, and ends them in any case. */
export async function runStory(
  story: Story,
  { backend, postgres, size, say }: RunOptions & { postgres: PostgresServer },
): Promise<StoryResult> {
  const from = performance.now();
  const world = await openWorld({ backend, postgres, webhooks: story.webhooks ?? 10, env: story.env ?? {} });
  const { stage, result } = createStage(world, size);
  try {
    const { maxMs = defaultMaxMs[size] } = story;
    await withTimeout(maxMs, story.play(stage), () => {
      throw new Error(`not over within ${maxMs / 1_000} s`);
    });
    await closeStory(world, stage, story);
  } catch (error) {
    result.problems.push(error instanceof Error ? error.message : String(error));
  }
  if (result.faults.length === 0) result.problems.push('no fault has landed, so nothing is proved');
  const { expects } = story;
  const passed = expects ? result.problems.some((problem) => expects.test(problem)) : result.problems.length === 0;
  // A story that stops PostgreSQL and fails may leave it stopped.
  await postgres.start();
  await world.close({ keepLogs: !passed });
  const tookS = (performance.now() - from) / 1_000;
  say(`${passed ? 'passed' : 'FAILED'} ${story.name} on ${backend}, ${tookS.toFixed(0)} s: ${story.title}`);
  for (const problem of result.problems) say(`       ${problem}`);
  if (!passed) say(`       what the processes said is in ${world.logs}`);
  return { ...result, story: story.name, backend, tookS, passed };
}
