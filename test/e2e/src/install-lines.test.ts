import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { Queue } from 'bullmq';
import { createTemporaryFolder, redisUrl } from '@ringback/testing';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const documents = ['README.md', 'docs', 'examples', 'packages/client/README.md'].flatMap((path) =>
  path.endsWith('.md')
    ? [path]
    : readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.md') && !/^adr/.test(name))
        .map((name) => join(path, name)),
);

/** The packages that documents tell a reader to install from the registry. Ringback's own are not published yet. */
const installs = documents.flatMap((document) =>
  [...readFileSync(join(root, document), 'utf8').matchAll(/npm install ((?:[a-z][\w-]*)(?: [a-z][\w-]*)*)/g)]
    .map(([, packages = '']) => packages.split(' ').filter((name) => !name.startsWith('ringback')))
    .filter((packages) => packages.length > 0)
    .map((packages) => ({ document, packages })),
);

test('the documents that push with BullMQ say what to install', () => {
  expect([...new Set(installs.map(({ document }) => document))].toSorted()).toEqual([
    'README.md',
    'examples/node-producer/README.md',
    'packages/client/README.md',
  ]);
});

(redisUrl() === undefined ? describe.skip : describe)('after the `npm install` line in an empty folder', () => {
  test.each(installs)('of $document, the Node producer pushes an event', async ({ packages }) => {
    const folder = createTemporaryFolder('ringback-install-line');
    const prefix = `test_${randomUUID()}`;
    try {
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      cpSync(join(root, 'examples/node-producer/producer.mjs'), join(folder, 'producer.mjs'));
      const options = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
      const install = spawnSync('npm', ['install', ...options, ...packages], { cwd: folder, encoding: 'utf8' });
      expect([install.status, install.stderr]).toEqual([0, expect.anything()]);
      const env = { PATH: process.env.PATH, REDIS_URL: redisUrl(), QUEUE_PREFIX: prefix, ACCOUNT_ID: randomUUID() };
      const run = spawnSync(process.execPath, ['producer.mjs', 'm-1'], { cwd: folder, env, encoding: 'utf8' });
      expect([run.status, run.stdout, run.stderr]).toEqual([0, 'pushed m-1\n', '']);
      const queue = new Queue('sms-events', { connection: { url: redisUrl() ?? '' }, prefix });
      expect(await queue.getJobCounts('waiting')).toEqual({ waiting: 1 });
      await queue.obliterate();
      await queue.close();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
