import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findFreePort } from '@ringback/embedded';
import { createTemporaryFolder } from '@ringback/testing';
import ts from 'typescript';
import { root, type Running, runProgram } from './processes.js';

const examples = `${root}examples/frameworks`;
const key = Buffer.alloc(32, 1);
const secret = `whsec_${key.toString('base64')}`;
const report = '{"id":"m-1:1","credits":"2.0000","status":"DELIVRD","text":"Grüße 👋"}';

/** The headers of a callback with this body. */
function headersOf(body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', key).update(`m.${timestamp}.${body}`).digest('base64');
  const signed = { 'webhook-id': 'm', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
  return { 'content-type': 'application/json', ...signed };
}

/** A request body that fetch sends in chunks, without a length. */
const chunksOf = (...texts: string[]) =>
  new ReadableStream({
    pull(controller) {
      const text = texts.shift();
      if (text === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(text));
    },
  });

type Answer = { status: number; text: string };
type Post = (body: string, headers: Record<string, string>, isChunked?: boolean) => Promise<Answer>;

/** What every receiver must do. */
async function expectToVerify(post: Post): Promise<void> {
  const sent = headersOf(report);
  expect(await post(report, sent)).toEqual({ status: 200, text: '' });
  expect(await post(report, sent, true)).toEqual({ status: 200, text: '' });
  const large = JSON.stringify({ id: 'm-2', text: 'x'.repeat(2_000_000) });
  expect(await post(large, headersOf(large))).toEqual({ status: 200, text: '' });
  const refused = (reason: string) => ({ status: 401, text: expect.stringContaining(reason) });
  expect(await post(`${report} `, sent)).toEqual(refused('the webhook-signature header is wrong'));
  expect(await post(`${report} `, sent, true)).toEqual(refused('the webhook-signature header is wrong'));
  expect(await post(report, { ...sent, 'webhook-timestamp': '1' })).toEqual(refused('is too old'));
  expect(await post(report, { 'content-type': 'application/json' })).toEqual(refused('webhook-id header is missing'));
  expect(await post('', {})).toEqual(refused('webhook-id header is missing'));
}

const postTo =
  (uri: string): Post =>
  async (body, headers, isChunked = false) => {
    const init = { method: 'POST', headers, body: isChunked ? chunksOf(...body) : body, duplex: 'half' } as RequestInit;
    const response = await fetch(uri, init);
    return { status: response.status, text: await response.text() };
  };

const folder = createTemporaryFolder('ringback-frameworks');
const programs: Running[] = [];
afterAll(async () => {
  await Promise.all(programs.map((program) => program.stop('SIGKILL')));
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a receiver in the folder, which must print its address or `isUp`. */
async function start(command: string[], env: NodeJS.ProcessEnv, isUp = /receiving at/): Promise<Running> {
  const program = runProgram(command, { SECRET: secret, ...env }, folder);
  programs.push(program);
  await program.waitFor(isUp);
  return program;
}

const hasProgram = (name: string) =>
  (process.env.PATH ?? '').split(delimiter).some((path) => existsSync(join(path, name)));
const execute = (command: string, args: string[], cwd = folder) => {
  const { NODE_OPTIONS: _ours, ...env } = process.env;
  return spawnSync(command, args, { cwd, env, encoding: 'utf8' });
};

/** Installs npm packages without their install scripts. Returns false where the registry cannot be reached. */
function install(...names: string[]): boolean {
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=1'];
  return execute('npm', ['install', '--prefix', folder, ...options, ...names]).status === 0;
}

// In CI, a framework that cannot be installed is a failure.
const isCi = process.env.CI === 'true';
const nest = ['core', 'common', 'platform-express'].map((name) => `@nestjs/${name}@11`);
const isInstalled = install('fastify@5', ...nest, 'reflect-metadata@0.2', 'rxjs@7');

(isInstalled || isCi ? describe : describe.skip)('with packages of the npm registry', () => {
  beforeAll(() => {
    mkdirSync(join(folder, 'node_modules/@ringback'), { recursive: true });
    symlinkSync(join(root, 'packages/client'), join(folder, 'node_modules/@ringback/client'));
  });

  test('Fastify verifies', async () => {
    copyFileSync(`${examples}/fastify/receiver.mjs`, join(folder, 'fastify.mjs'));
    const port = await findFreePort();
    const receiver = await start(['node', 'fastify.mjs'], { PORT: String(port) });
    await expectToVerify(postTo(`http://localhost:${port}/callbacks`));
    await receiver.waitFor(/^genuine \{"id":"m-1:1","credits":"2.0000"/m);
  });

  test('Nest verifies', async () => {
    const { outputText } = ts.transpileModule(readFileSync(`${examples}/nest/main.ts`, 'utf8'), {
      compilerOptions: {
        module: ts.ModuleKind.ESNext,
        target: ts.ScriptTarget.ES2022,
        experimentalDecorators: true,
        emitDecoratorMetadata: true,
      },
    });
    writeFileSync(join(folder, 'nest.mjs'), outputText);
    const port = await findFreePort();
    const receiver = await start(['node', 'nest.mjs'], { PORT: String(port) });
    await expectToVerify(postTo(`http://localhost:${port}/callbacks`));
    await receiver.waitFor(/^genuine \{"id":"m-1:1","credits":"2.0000"/m);
  });
});

describe('as functions', () => {
  beforeAll(() => void (process.env.SECRET = secret));
  afterAll(() => void delete process.env.SECRET);

  test('the route handler of Next verifies', async () => {
    const { POST } = await import(pathToFileURL(`${examples}/next/route.js`).href);
    await expectToVerify(async (body, headers, isChunked = false) => {
      const init = {
        method: 'POST',
        headers,
        body: isChunked ? chunksOf(...body) : body,
        duplex: 'half',
      } as RequestInit;
      const response: Response = await POST(new Request('https://receiver.example/callbacks', init));
      return { status: response.status, text: await response.text() };
    });
  });

  test.each([
    ['of text', false],
    ['in base64', true],
  ])('the handler of Lambda verifies events with a body %s', async (_, isBase64Encoded) => {
    const { handler } = await import(pathToFileURL(`${examples}/lambda/handler.mjs`).href);
    await expectToVerify(async (body, headers) => {
      const encoded = isBase64Encoded ? Buffer.from(body).toString('base64') : body;
      const answer = await handler({ version: '2.0', headers, body: encoded, isBase64Encoded });
      return { status: answer.statusCode, text: answer.body };
    });
  });
});

/** The class path of Spring, from Maven. Undefined where there is no Maven, or Maven Central cannot be reached. */
function resolveSpring(): string | undefined {
  if (!hasProgram('mvn') || !hasProgram('javac')) return undefined;
  copyFileSync(`${examples}/spring/pom.xml`, join(folder, 'pom.xml'));
  const resolve = ['-q', '-B', 'dependency:build-classpath', '-Dmdep.outputFile=classpath'];
  // Offline, if an earlier run has downloaded everything.
  const isResolved = [['-o', ...resolve], resolve].some((args) => execute('mvn', args).status === 0);
  return isResolved ? readFileSync(join(folder, 'classpath'), 'utf8') : undefined;
}
const spring = resolveSpring();

(spring === undefined && !isCi ? test.skip : test)('Spring Boot verifies', async () => {
  const verifier = readFileSync(`${root}examples/verify/java/Verify.java`, 'utf8');
  writeFileSync(join(folder, 'Verify.java'), `package example;\n${verifier}`);
  copyFileSync(`${examples}/spring/Application.java`, join(folder, 'Application.java'));
  const classPath = `classes${delimiter}${spring}`;
  const compiled = execute('javac', [
    '-parameters',
    '-cp',
    classPath,
    '-d',
    'classes',
    'Verify.java',
    'Application.java',
  ]);
  expect(compiled).toMatchObject({ status: 0, stdout: '' });
  const port = await findFreePort();
  const env = { SERVER_PORT: String(port) };
  const receiver = await start(['java', '-cp', classPath, 'example.Application'], env, /Started Application/);
  await expectToVerify(postTo(`http://localhost:${port}/callbacks`));
  await receiver.waitFor(/^genuine \{"id":"m-1:1","credits":"2.0000"/m);
});

const php = hasProgram('php') ? test : test.skip;

// Their packages are in no registry that the tests can reach.
php.each(['frameworks/laravel/CallbackController.php', 'php-producer/PushEvents.php', 'php-producer/producer.php'])(
  '%s is valid PHP',
  (file) => {
    expect(execute('php', ['-l', `${root}examples/${file}`])).toMatchObject({ status: 0 });
  },
);

const hasCurl = hasProgram('php') && execute('php', ['-m']).stdout.includes('curl');
// Debian's package, which has no vendor/autoload.php.
const guzzle = '/usr/share/php/GuzzleHttp/autoload.php';

const hasGuzzle = hasCurl && existsSync(guzzle);
const pushesAgain = 'pushes again after a lost response and a 503';
(hasCurl ? test : test.skip)(`http-curl.php ${pushesAgain}`, () => expectToPushAgain('http-curl.php'));
(hasGuzzle ? test : test.skip)(`http-guzzle.php ${pushesAgain}`, () => expectToPushAgain('http-guzzle.php'));

async function expectToPushAgain(file: string): Promise<void> {
  const bodies: string[] = [];
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    bodies.push(body);
    if (bodies.length === 1) return void request.socket.destroy();
    if (bodies.length === 2) return void response.writeHead(503, { 'Retry-After': '0' }).end('{}');
    response.writeHead(202).end('{"data":[{"id":"e-1","state":"duplicate"}]}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const env = { BASE_URL: `http://127.0.0.1:${port}/api/v2`, PLATFORM_TOKEN: 't', ACCOUNT_ID: 'a', WEBHOOK_ID: '' };
  mkdirSync(`${folder}/vendor`, { recursive: true });
  writeFileSync(`${folder}/vendor/autoload.php`, `<?php require '${guzzle}';`);
  const producer = runProgram(['php', `${root}examples/php-producer/${file}`, 'm-1'], env, folder);
  expect([await producer.ended, producer.output()]).toEqual([0, 'pushed m-1: duplicate\n']);
  server.close();
  expect(new Set(bodies).size).toBe(1);
  expect(JSON.parse(bodies[0] ?? '')).toMatchObject([{ event: 'sms:message:status', payload: { id: 'm-1' } }]);
}
