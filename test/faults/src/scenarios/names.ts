import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAccount } from '@ringback/ledger';
import { backlogIngestMs, type Load, p99OfDelays } from '../load.js';
import { awaitState, type Scenario, type ScenarioContext } from '../scenario.js';

const address = '127.53.53.53';
const runWithResolvers = 'mount --bind "$0" /etc/resolv.conf && exec "$@"';

/**
 * A DNS lookup occupies a thread until it ends. Lookups without a response must leave enough threads for the others.
 */
export const silentNames: Scenario = {
  name: 'silent-names',
  requiresNoErrors: true,
  title: 'hundreds of names whose name servers do not answer: new names are still resolved',
  backends: ['redis', 'postgres'],
  // The values of `npm run worker`, the image and the Helm chart.
  env: {
    WORKER_CONCURRENCY: '200',
    CALLBACK_TIMEOUT_MS: '3000',
    UV_THREADPOOL_SIZE: '512',
    RES_OPTIONS: 'timeout:1 attempts:2 ndots:1',
  },
  webhooks: 0,
  skipReason: () =>
    spawnSync('unshare', ['--mount', 'true']).status === 0 ? undefined : 'this process cannot mount a file system',
  async run(context) {
    const nameServer = await startNameServer(address, (name) => name.startsWith('known-'));
    try {
      await runBeside(context, nameServer);
    } finally {
      nameServer.close();
    }
  },
};

async function runBeside(context: ScenarioContext, nameServer: NameServer): Promise<void> {
  const { port } = new URL(context.recorder.origin);
  const seconds = context.bySize({ small: 6, normal: 12, full: 30 });
  const uriOf = (name: string) => ({ uri: `http://${name}.example.org:${port}/${name}` });
  const { id: other } = await createAccount(context.db, { name: 'silent' });
  const addWebhooks = async (kind: string, count: number, accountId?: string) => {
    const webhooks: string[] = [];
    for (let index = 0; index < count; index++)
      webhooks.push(await context.addWebhook(`/${kind}`, uriOf(`${kind}-${index}`), accountId));
    return webhooks;
  };
  const silent = await addWebhooks('silent', context.bySize({ small: 150, normal: 300, full: 1_000 }), other);
  const known = await addWebhooks('known', seconds * 20);

  const resolvConf = join(context.logs, 'resolv.conf');
  writeFileSync(resolvConf, `nameserver ${address}\n`);
  await context.startWorker({}, ['unshare', '--mount', 'sh', '-c', runWithResolvers, resolvConf]);
  const silentLoad = context.createLoad();
  await silentLoad.push(silent.length * 2, { webhooks: silent });
  await awaitState('50 queries are ignored', () => nameServer.ignored() > 50);
  context.recordFault(`the name server ignores ${silent.length} names`);
  const load = await measureDelays(context, known, seconds);
  context.note(`${nameServer.ignored()} queries were ignored`);
  await requireNoFailures(context);
  nameServer.answerAll();
  context.recordFault('the name server responds to all names');
  await context.settle([silentLoad, load], { withinMs: 200_000 });
}

/** Pushes events for webhooks whose names are resolved, and requires that their callbacks are not delayed. */
async function measureDelays(context: ScenarioContext, webhooks: string[], seconds: number): Promise<Load> {
  const load = context.createLoad();
  const startedAt = Date.now();
  const stop = load.keepPushing(20, webhooks);
  await sleep(seconds * 1_000);
  await stop();
  const { calls } = context.recorder;
  const haveArrived = () => calls.length >= load.acknowledged.size;
  await awaitState('all other callbacks arrive', haveArrived, { withinMs: 20_000 }).catch((error: Error) =>
    context.require(false, `${error.message}: ${calls.length} of ${load.acknowledged.size}`),
  );
  const p99 = p99OfDelays(calls, load);
  const later = p99OfDelays(calls, load, startedAt + backlogIngestMs);
  context.note(`p99 of the others ${Math.round(p99)} ms, ${Math.round(later)} ms after the ingest of the backlog`);
  context.requireWithin(500, later, 'the p99 of the others after the ingest of the backlog');
  context.requireWithin(context.backend === 'redis' ? 1_000 : 1_500, p99, 'the p99 of the others');
  return load;
}

async function requireNoFailures({ db, require }: ScenarioContext): Promise<void> {
  const where = { outcome: { not: 'response' }, url: { contains: 'known-' } };
  const failed = await (await db.prisma()).attempt.count({ where });
  require(failed === 0, `${failed} attempts at other names failed`);
}

/** A name server that responds to queries for some names and ignores the others. */
type NameServer = {
  /** The number of ignored queries. */
  ignored(): number;
  /** Responds to all queries from now on. */
  answerAll(): void;
  close(): void;
};

const aRecord = 1;

/**
 * Opens a name server on port 53 of an address. Every name that it responds to has the address 127.0.0.1 and no other
 * record.
 */
async function startNameServer(address: string, isKnownName: (name: string) => boolean): Promise<NameServer> {
  const socket = createSocket('udp4');
  let isKnown = isKnownName;
  let ignored = 0;
  socket.on('message', (query, { address: from, port }) => {
    const { name, type, question } = readQuestion(query);
    if (isKnown(name)) socket.send(answer(query.subarray(0, 2), question, type === aRecord ? 1 : 0), port, from);
    else ignored++;
  });
  socket.bind(53, address);
  await once(socket, 'listening');
  return {
    ignored: () => ignored,
    answerAll: () => void (isKnown = () => true),
    close: () => void socket.close(),
  };
}

function readQuestion(query: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), question: query.subarray(12, at + 5) };
}

/** A response without an error code, as in RFC 1035: the question, and optionally one address. */
function answer(id: Buffer, question: Buffer, answers: 0 | 1): Buffer {
  const header = Buffer.from([0x81, 0x80, 0, 1, 0, answers, 0, 0, 0, 0]);
  // The name of the question, type A, class IN, a TTL of 30 s, four bytes.
  const record = Buffer.from([0xc0, 0x0c, 0, aRecord, 0, 1, 0, 0, 0, 30, 0, 4, 127, 0, 0, 1]);
  return Buffer.concat(answers === 1 ? [id, header, question, record] : [id, header, question]);
}
