import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hasRedis } from '@ringback/testing';
import { controls } from './controls.js';
import { openPostgresServer, type PostgresServer } from './postgres-server.js';
import { stories } from './stories.js';
import { runStory, type StoryResult } from './run-stories.js';

// `npm run test:faults` runs all stories, at larger sizes.
const names = ['kill-9', 'flushall', 'control-forgetful', 'sigterm', 'postgres-restarts', 'redis-killed'];
const chosen = names.map((name) => {
  const story = [...stories, ...controls].find((one) => one.name === name);
  if (story === undefined) throw new Error(`there is no story ${name}`);
  return story;
});
const backends = (['postgres', 'redis'] as const).filter((name) => name !== 'redis' || hasRedis());
const cases = backends.flatMap((backend) =>
  chosen.filter((story) => story.backends.includes(backend)).map((story) => ({ backend, story, name: story.name })),
);
const concurrency = 4;

const run = ({ backend, story }: (typeof cases)[number], postgres: PostgresServer) =>
  runStory(story, { backend, postgres, size: 'test', say: () => undefined });

/** Runs a story on the shared PostgreSQL server, or on a server of its own if the story restarts it. */
async function runOn(one: (typeof cases)[number], shared: PostgresServer): Promise<StoryResult> {
  if (one.name !== 'postgres-restarts') return run(one, shared);
  const own = await openPostgresServer();
  return run(one, own).finally(() => own.close());
}

// A story spends most of its time waiting, so several run concurrently, each with its own database, Redis and processes.
describe('stories', () => {
  let postgres: PostgresServer;
  const results = new Map<object, Promise<StoryResult>>();

  beforeAll(async () => {
    postgres = await openPostgresServer();
    const queues: Promise<unknown>[] = Array.from({ length: concurrency }, () => Promise.resolve());
    for (const [index, one] of cases.entries()) {
      const result = (queues[index % concurrency] ?? Promise.resolve()).then(() => runOn(one, postgres));
      queues[index % concurrency] = result.catch(() => undefined);
      results.set(one, result);
    }
  });

  afterAll(async () => {
    await Promise.allSettled(results.values());
    await postgres.close();
  });

  test.each(cases)(
    '$name on $backend passes',
    async (one) => {
      const expected = one.story.expectedProblem ? { passed: true } : { passed: true, lost: 0, problems: [] };
      expect(await results.get(one)).toMatchObject(expected);
    },
    600_000,
  );
});
