import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAccount } from '@ringback/database';
import { awaitState } from '../await-state.js';
import { p99OfDelays, takenInMs } from '../delays.js';
import { openNameServer } from '../name-server.js';
import type { Stage, Story } from '../story.js';

const address = '127.53.53.53';
const mountOwn = 'mount --bind "$0" /etc/resolv.conf && exec "$@"';

/** A name takes a thread while it is resolved. Those whose servers are silent leave enough of them for the others. */
export const silentNames: Story = {
  name: 'silent-names',
  calm: true,
  title: 'hundreds of names whose name servers do not answer: new names are still resolved',
  backends: ['redis', 'postgres'],
  // As `npm run worker`, the Dockerfile and the manifests have them.
  env: {
    ...{ WORKER_CONCURRENCY: '200', CALLBACK_TIMEOUT_MS: '3000' },
    ...{ UV_THREADPOOL_SIZE: '512', RES_OPTIONS: 'timeout:1 attempts:2' },
  },
  webhooks: 0,
  obstacle: () =>
    spawnSync('unshare', ['--mount', 'true']).status === 0 ? undefined : 'no file system can be mounted here',
  async play(stage) {
    const names = await openNameServer(address, (name) => name.startsWith('well-'));
    try {
      await beside(stage, names);
    } finally {
      names.close();
    }
  },
};

async function beside(stage: Stage, names: Awaited<ReturnType<typeof openNameServer>>): Promise<void> {
  const { port } = new URL(stage.recorder.origin);
  const seconds = stage.bySize({ small: 6, normal: 12, full: 30 });
  const uriOf = (name: string) => ({ uri: `http://${name}.example.org:${port}/${name}` });
  const { id: other } = await createAccount(stage.db, { name: 'silent' });
  const make = (kind: string, count: number, accountId?: string) =>
    Promise.all(
      Array.from({ length: count }, (_, index) => stage.addWebhook(`/${kind}`, uriOf(`${kind}-${index}`), accountId)),
    );
  const silent = await make('silent', stage.bySize({ small: 150, normal: 300, full: 1_000 }), other);
  const well = await make('well', seconds * 20);

  const resolvers = join(stage.logs, 'resolv.conf');
  writeFileSync(resolvers, `nameserver ${address}\n`);
  await stage.startWorker({}, ['unshare', '--mount', 'sh', '-c', mountOwn, resolvers]);
  const burden = stage.openLoad();
  await burden.push(silent.length * 2, { webhooks: silent });
  await awaitState('names are asked for', () => names.unanswered() > 50);
  stage.recordFault(`${silent.length} names are not answered for`);
  const load = stage.openLoad();
  const startedAt = Date.now();
  const stop = load.keepPushing(20, well);
  await sleep(seconds * 1_000);
  await stop();
  const isThere = () => stage.recorder.calls.length >= load.acknowledged.size;
  await awaitState('the others got theirs', isThere, { withinMs: 20_000 }).catch((error: Error) =>
    stage.require(false, `${error.message}: ${stage.recorder.calls.length} of ${load.acknowledged.size}`),
  );
  const p99 = p99OfDelays(stage.recorder.calls, load);
  const later = p99OfDelays(stage.recorder.calls, load, startedAt + takenInMs);
  stage.requireWithin(500, later, 'the p99 of the others once the backlog was taken in');
  const figures = `${Math.round(p99)} ms, ${Math.round(later)} ms once the backlog was taken in`;
  stage.note(`p99 of the others ${figures}; ${names.unanswered()} queries were not answered`);
  stage.requireWithin(stage.backend === 'redis' ? 1_000 : 1_500, p99, 'the p99 of the others');
  const failed = await stage.db.prisma.attempt.count({
    where: { outcome: { not: 'response' }, url: { contains: 'well-' } },
  });
  stage.require(failed === 0, `${failed} attempts at other names failed`);
  names.answerAll();
  stage.recordFault('all names are answered for');
  await stage.settle([burden, load], { withinMs: 200_000 });
}
