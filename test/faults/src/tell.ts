import { withTimeout } from '@ringback/runtime';
import { hasRedis } from '@ringback/testing';
import { openPostgresServer, type PostgresServer } from './postgres-server.js';
import { closeStory, type Result, setStage, type Size, type Story } from './story.js';
import { type BackendName, openWorld } from './world.js';

export type Told = Result & { story: string; backend: BackendName; tookS: number; passed: boolean };

type Telling = { backend: BackendName; size: Size; say(line: string): void };

const usualMostMs = { test: 300_000, small: 300_000, usual: 300_000, full: 900_000 };

/** Plays stories on one backend, one after the other, on a PostgreSQL of their own, and says a line for each. */
export async function tellAll(stories: readonly Story[], telling: Telling): Promise<Told[]> {
  const { backend, say } = telling;
  if (backend === 'redis' && !hasRedis()) {
    say('skipped everything on redis: there is no redis-server in PATH');
    return [];
  }
  const postgres = await openPostgresServer();
  const told: Told[] = [];
  try {
    for (const story of stories.filter(({ backends }) => backends.includes(backend))) {
      const obstacle = story.obstacle?.();
      if (obstacle !== undefined) say(`skipped ${story.name} on ${backend}: ${obstacle}`);
      else told.push(await tell(story, { ...telling, postgres }));
    }
  } finally {
    await postgres.close();
  }
  return told;
}

/** Plays one story in a world of its own, and ends everything that it started, however it goes. */
export async function tell(
  story: Story,
  { backend, postgres, size, say }: Telling & { postgres: PostgresServer },
): Promise<Told> {
  const from = performance.now();
  const world = await openWorld({ backend, postgres, webhooks: story.webhooks ?? 10, env: story.env ?? {} });
  const { stage, result } = setStage(world, size);
  try {
    const { mostMs = usualMostMs[size] } = story;
    await withTimeout(mostMs, story.play(stage), () => {
      throw new Error(`not over within ${mostMs / 1_000} s`);
    });
    await closeStory(world, stage, story);
  } catch (error) {
    result.problems.push(error instanceof Error ? error.message : String(error));
  }
  if (result.faults.length === 0) result.problems.push('no fault has landed, so nothing is proved');
  const { expects } = story;
  const passed = expects ? result.problems.some((problem) => expects.test(problem)) : result.problems.length === 0;
  // Stories that stop PostgreSQL and fail may leave it so.
  await postgres.start();
  await world.close({ keepLogs: !passed });
  const tookS = (performance.now() - from) / 1_000;
  say(`${passed ? 'passed' : 'FAILED'} ${story.name} on ${backend}, ${tookS.toFixed(0)} s: ${story.title}`);
  for (const problem of result.problems) say(`       ${problem}`);
  if (!passed) say(`       what the processes said is in ${world.logs}`);
  return { ...result, story: story.name, backend, tookS, passed };
}
