import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

// A network namespace of its own, with a name server on loopback, a hosts file and the resolv.conf of a pod.
const namespace = `ringback-dns-${process.pid}`;
const folder = join('/etc/netns', namespace);
const ip = (...args: string[]) => spawnSync('ip', args, { stdio: 'ignore' }).status === 0;
const isPossible =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  ip('netns', 'add', namespace) &&
  ip('-n', namespace, 'link', 'set', 'lo', 'up');

/**
 * Starts a name server, resolves a name with the compiled `resolveName`, and prints its addresses and the questions.
 * The server knows A records of `*.example`, and AAAA records of `both.example`; to questions for AAAA records of
 * `dropped.example` it never answers, nor to any about `silent.example`; `failing.example` is a SERVFAIL. To questions
 * about `broken.example` from a port that asks for AAAA records too, it answers with a SERVFAIL after 80 ms, and to
 * others after half a second.
 */
const script = `
  import { createSocket } from 'node:dgram';
  const [dnsCache, name] = process.argv.slice(1);
  const questions = [];
  const askedForIpv6 = new Set();
  const delay = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const server = createSocket('udp4');
  server.on('message', async (message, { port, address }) => {
    const labels = [];
    let at = 12;
    for (; message[at] > 0; at += message[at] + 1) labels.push(message.toString('latin1', at + 1, at + 1 + message[at]));
    const asked = labels.join('.');
    const isIpv6 = message.readUInt16BE(at + 1) === 28;
    questions.push(asked + (isIpv6 ? ' AAAA' : ' A'));
    if ((isIpv6 && asked === 'dropped.example') || asked === 'silent.example') return;
    if (isIpv6) askedForIpv6.add(port);
    if (asked === 'broken.example') await delay(80);
    const isFailing = asked === 'failing.example' || (asked === 'broken.example' && askedForIpv6.has(port));
    if (asked === 'broken.example' && !isFailing) await delay(420);
    const isKnown = asked.endsWith('.example') || asked === 'service.space.cluster.test';
    const records = !isKnown || isFailing ? [] : !isIpv6 ? [[0, 4, 127, 0, 0, 5]] : asked === 'both.example' ? [[0, 16, ...Array(15).fill(0), 5]] : [];
    const head = Buffer.from(message.subarray(0, at + 5));
    head.writeUInt16BE(isFailing ? 0x8182 : isKnown ? 0x8180 : 0x8183, 2);
    [1, records.length, 0, 0].forEach((count, index) => head.writeUInt16BE(count, 4 + 2 * index));
    const type = isIpv6 ? 28 : 1;
    server.send(Buffer.concat([head, ...records.map((data) => Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 30, ...data]))]), port, address);
  });
  server.bind(53, '127.0.0.1', async () => {
    const { resolveName } = await import(dnsCache);
    const found = await resolveName(name).then((all) => all.map(({ address }) => address), ({ code }) => code);
    process.stdout.write(JSON.stringify({ found, questions }));
    process.exit();
  });`;

async function resolveIn(name: string): Promise<{ found: string[] | string; questions: string[] }> {
  const dnsCache = new URL('./dns-cache.js', import.meta.url).href;
  const args = ['netns', 'exec', namespace, process.execPath, '--input-type=module', '-e', script, dnsCache, name];
  const env = { ...process.env, RES_OPTIONS: 'timeout:1 attempts:2 ndots:1' };
  const { stdout } = await promisify(execFile)('ip', args, { env });
  return JSON.parse(stdout);
}

(isPossible ? describe : describe.skip)('names in a pod, with ndots:5 and three search domains', () => {
  beforeAll(() => {
    mkdirSync(folder, { recursive: true });
    const search = 'search own.svc.cluster.test svc.cluster.test cluster.test';
    writeFileSync(join(folder, 'resolv.conf'), `nameserver 127.0.0.1\n${search}\noptions ndots:5\n`);
    writeFileSync(join(folder, 'hosts'), '127.0.0.1 localhost\n127.0.0.9 overridden.example\n');
  });
  afterAll(() => {
    ip('netns', 'delete', namespace);
    rmSync(folder, { recursive: true, force: true });
  });

  test('a name costs one question for each family', async () => {
    const { found, questions } = await resolveIn('both.example');
    expect(found).toEqual(expect.arrayContaining(['127.0.0.5', '::5']));
    expect(questions.sort()).toEqual(['both.example A', 'both.example AAAA']);
  });
  test('the IPv4 addresses are used when the name server drops questions for IPv6 addresses', async () => {
    const { found, questions } = await resolveIn('dropped.example');
    expect(found).toEqual(['127.0.0.5']);
    // The lookup of both goes on for more than a second.
    expect(questions.filter((question) => question.endsWith(' A')).length).toBeLessThanOrEqual(2);
  });
  test('the IPv4 addresses are used when the name server answers questions for IPv6 addresses with a failure', async () => {
    expect(await resolveIn('broken.example')).toMatchObject({ found: ['127.0.0.5'] });
  });
  test('the hosts file comes first, and nothing is asked', async () => {
    expect(await resolveIn('overridden.example')).toEqual({ found: ['127.0.0.9'], questions: [] });
  });
  test('a name with a dot that does not exist is looked up in the search domains, after it was looked up as it stands', async () => {
    const { found, questions } = await resolveIn('service.space');
    expect(found).toEqual(['127.0.0.5']);
    expect(questions.slice(0, 2).sort()).toEqual(['service.space A', 'service.space AAAA']);
  });
  test('a name server that answers nothing is a timeout, and one that reports a failure is not', async () => {
    expect(await resolveIn('silent.example')).toMatchObject({ found: 'DNS_TIMEOUT' });
    expect(await resolveIn('failing.example')).toMatchObject({ found: 'EAI_AGAIN' });
  });
  test('a name that exists nowhere is reported so', async () => {
    expect(await resolveIn('nowhere.test')).toMatchObject({ found: 'ENOTFOUND' });
  });
});
