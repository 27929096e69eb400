import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hasRedis } from '@ringback/testing';
import { controls } from './controls.js';
import { openPostgresServer, type PostgresServer } from './postgres-server.js';
import { stories } from './stories.js';
import { runStory, type StoryResult } from './run-stories.js';

// The rest, and more of these, with `npm run test:faults`.
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
const atOnce = 4;

const play = ({ backend, story }: (typeof cases)[number], postgres: PostgresServer) =>
  runStory(story, { backend, postgres, size: 'test', say: () => undefined });

/** Plays a story; one that restarts PostgreSQL gets a server of its own, so that the others keep theirs. */
async function playOn(one: (typeof cases)[number], shared: PostgresServer): Promise<StoryResult> {
  if (one.name !== 'postgres-restarts') return play(one, shared);
  const own = await openPostgresServer();
  return play(one, own).finally(() => own.close());
}

/** Several at a time, since most of a story is waiting; each has a database, a Redis and processes of its own. */
describe('under faults', () => {
  let postgres: PostgresServer;
  const results = new Map<object, Promise<StoryResult>>();

  beforeAll(async () => {
    postgres = await openPostgresServer();
    const turns: Promise<unknown>[] = Array.from({ length: atOnce }, () => Promise.resolve());
    for (const [index, one] of cases.entries()) {
      const result = (turns[index % atOnce] ?? Promise.resolve()).then(() => playOn(one, postgres));
      turns[index % atOnce] = result.catch(() => undefined);
      results.set(one, result);
    }
  });

  afterAll(async () => {
    await Promise.allSettled(results.values());
    await postgres.close();
  });

  test.each(cases)(
    '$name on $backend: nothing is lost, and the ledger agrees with the receiver',
    async (one) => {
      const { passed, problems, lost, story } = (await results.get(one)) ?? {
        passed: false,
        problems: [],
        lost: 0,
        story: '',
      };
      expect(story.startsWith('control') ? { passed, lost: lost > 0 } : { passed, lost, problems }).toEqual(
        story.startsWith('control') ? { passed: true, lost: true } : { passed: true, lost: 0, problems: [] },
      );
    },
    600_000,
  );
});
