import { withTimeout } from '@ringback/runtime';
import { hasRedis } from '@ringback/testing';
import { openPostgresServer, type PostgresServer } from './postgres-server.js';
import { finishStory } from './finish-story.js';
import { createStage } from './stage.js';
import type { Result, Size, Story } from './story.js';
import { type BackendName, openWorld } from './world.js';

export type StoryResult = Result & { story: string; backend: BackendName; tookS: number; passed: boolean };

type RunOptions = { backend: BackendName; size: Size; say(line: string): void };

const defaultMaxMs = { test: 300_000, small: 300_000, normal: 300_000, full: 900_000 };

/** Runs stories on one backend, one after the other, on one PostgreSQL server. Prints a line for each. */
export async function runStories(stories: readonly Story[], options: RunOptions): Promise<StoryResult[]> {
  const { backend, say } = options;
  if (backend === 'redis' && !hasRedis()) {
    say('skipped all stories on redis: redis-server is not in PATH');
    return [];
  }
  const postgres = await openPostgresServer();
  const results: StoryResult[] = [];
  try {
    for (const story of stories.filter(({ backends }) => backends.includes(backend))) {
      const reason = story.skipReason?.();
      if (reason !== undefined) say(`skipped ${story.name} on ${backend}: ${reason}`);
      else results.push(await runStory(story, { ...options, postgres }));
    }
  } finally {
    await postgres.close();
  }
  return results;
}

/** Runs a story with its own processes, queues and database. Stops the processes whatever the result. */
export async function runStory(
  story: Story,
  { backend, postgres, size, say }: RunOptions & { postgres: PostgresServer },
): Promise<StoryResult> {
  const startedAt = performance.now();
  const world = await openWorld({ backend, postgres, webhooks: story.webhooks ?? 10, env: story.env ?? {} });
  const { stage, result } = createStage(world, size);
  try {
    const { maxMs = defaultMaxMs[size] } = story;
    await withTimeout(maxMs, story.play(stage), () => {
      throw new Error(`the story did not end within ${maxMs / 1_000} s`);
    });
    await finishStory(world, stage.require, story);
  } catch (error) {
    result.problems.push(error instanceof Error ? error.message : String(error));
  }
  if (result.faults.length === 0) result.problems.push('no fault occurred, so the story proves nothing');
  const { expectedProblem } = story;
  const passed = expectedProblem
    ? result.problems.some((problem) => expectedProblem.test(problem))
    : result.problems.length === 0;
  // A failed story may leave PostgreSQL stopped.
  await postgres.start();
  await world.close({ keepLogs: !passed });
  const tookS = (performance.now() - startedAt) / 1_000;
  say(`${passed ? 'passed' : 'FAILED'} ${story.name} on ${backend}, ${tookS.toFixed(0)} s: ${story.title}`);
  for (const problem of result.problems) say(`       ${problem}`);
  if (!passed) say(`       the output of the processes is in ${world.logs}`);
  return { ...result, story: story.name, backend, tookS, passed };
}
