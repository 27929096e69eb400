import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { root } from './processes.js';

// A user installs the npm package `@ringback/client`, without the clone.
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const npmCli = join(process.execPath, '../../lib/node_modules/npm/bin/npm-cli.js');
const npm = existsSync(npmCli) ? [process.execPath, npmCli] : ['npm'];

/** Runs a program as a stranger, without the options that Jest passes on to Node. */
function runIn(cwd: string, command: string, args: string[]) {
  const { NODE_OPTIONS: _ours, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}
const node = (args: string[], cwd: string) => runIn(cwd, process.execPath, args);

// Verifies a genuine and an altered callback in a context that has only Web Crypto and what each browser has.
const bareScript = `
import { readFileSync } from 'node:fs';
import { createContext, SourceTextModule } from 'node:vm';
const { crypto, TextEncoder, atob, btoa } = globalThis;
const context = createContext({ crypto, TextEncoder, atob, btoa });
const load = (file) => new SourceTextModule(readFileSync('dist/' + file, 'utf8'), { context, identifier: file });
const verifying = load('web-verify.js');
await verifying.link((specifier) => {
  if (!specifier.startsWith('./')) throw new Error('it imports ' + specifier);
  return load(specifier);
});
await verifying.evaluate();
const headers = { signature: '1f14a62b15ba5095326d6c75c3e2e6b462dd71e1c4b7fbdac0f32309adb7be5f' };
const bodies = ['{"a":1}', '{"a":1} '];
const results = bodies.map((body) => verifying.namespace.verify({ body, headers }, { webhookId: 'abc' }));
console.log(JSON.stringify(await Promise.all(results)));
`;

/** The path of a program: the variable with the program's name in capitals, else found in PATH. */
function findProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  return [process.env[name.toUpperCase()] ?? '', ...folders].find((file) => file !== '' && existsSync(file));
}

let home: string;
let client: string;
const tarball = () => readFileSync(join(home, `release/ringback-client-${version}.tgz`));

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'ringback-client-'));
  const packed = node([join(root, 'scripts/package.mjs'), join(home, 'release'), 'client'], root);
  expect(packed).toMatchObject({ status: 0 });
  writeFileSync(join(home, 'package.json'), '{"private":true}');
  // Without the network: the package has no dependencies.
  const options = ['install', '--offline', '--no-audit', '--no-fund', '--no-package-lock', '--omit=optional'];
  const file = join(home, `release/ringback-client-${version}.tgz`);
  expect(runIn(home, npm[0]!, [...npm.slice(1), ...options, file])).toMatchObject({ status: 0 });
  client = join(home, 'node_modules/@ringback/client');
}, 300_000);
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A folder beside the installed package, with these files. */
function createProject(name: string, files: Record<string, string>): string {
  const folder = join(home, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Links a package of the clone into the project. */
function link(folder: string, ...names: string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
}

test('it is the only package that is installed, and has no tests or source maps', () => {
  expect(readdirSync(join(home, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@ringback']);
  const manifest = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8'));
  expect(manifest).toMatchObject({ name: '@ringback/client', version, license: 'MIT' });
  expect(manifest).not.toHaveProperty('dependencies');
  const files = readdirSync(client, { recursive: true, encoding: 'utf8' });
  expect(files.filter((file) => /\.(test|fixture)\.|\.map$/.test(file))).toEqual([]);
});

// Resolvers without `exports` (node10) find the client, but not `@ringback/client/verify`.
test('each resolver finds its types, and the manifest has no mistakes', async () => {
  const result = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball())));
  const problems = result.types ? result.problems : [{ kind: 'NoTypes' }];
  const known = { kind: 'NoResolution', entrypoint: './verify', resolutionKind: 'node10' };
  expect(problems).toEqual([known]);
  const { messages } = await publint({ pack: { tarball: new Uint8Array(tarball()).buffer }, strict: true });
  expect(messages).toEqual([]);
});

const program = `
import { type Webhook, ApiError, createClient, createHttpProducer, verify } from '@ringback/client';
import { verify as verifyAnywhere } from '@ringback/client/verify';

async function main(): Promise<void> {
  const fetch = async () => Response.json({ data: [{ id: 'w-1' }], meta: { next_cursor: null } });
  const client = createClient({ baseUrl: 'https://ringback.example/api/v2', token: 't', fetch });
  const webhooks: Webhook[] = [];
  for await (const webhook of client.webhooks.list()) webhooks.push(webhook);
  const failing = createClient({
    baseUrl: 'https://ringback.example/api/v2',
    token: 't',
    fetch: async () => new Response('{"status":"NotFound","code":404,"message":"Webhook not found."}', { status: 404 }),
  });
  // @ts-expect-error: a webhook needs a uri.
  void (() => client.webhooks.create({ name: 'in' }));
  const error: unknown = await failing.webhooks.retrieve('w-1').catch((reason: unknown) => reason);
  createHttpProducer({ baseUrl: 'https://ringback.example/api/v2', platformToken: 't' });
  const headers = { signature: '1f14a62b15ba5095326d6c75c3e2e6b462dd71e1c4b7fbdac0f32309adb7be5f' };
  const callback = { body: '{"a":1}', headers };
  const results = [verify(callback, { webhookId: 'abc' }).ok, (await verifyAnywhere(callback, { webhookId: 'abc' })).ok];
  console.log(JSON.stringify([webhooks[0]?.id, error instanceof ApiError && error.type, results]));
}
void main();
`;
const printed = '["w-1","NotFound",[true,true]]\n';

test.each([
  ['module: node16, as CommonJS', 'commonjs', { module: 'node16' }],
  ['module: node16, as ES modules', 'module', { module: 'node16' }],
  ['module: commonjs with the resolution of bundlers', 'commonjs', { module: 'preserve', moduleResolution: 'bundler' }],
])('a project with %s compiles and runs', (name, type, options) => {
  const folder = createProject(`compiled-${name.replace(/\W+/g, '-')}`, {
    'package.json': JSON.stringify({ type }),
    'main.ts': program,
    'tsconfig.json': JSON.stringify({
      compilerOptions: { target: 'es2022', strict: true, types: ['node'], skipLibCheck: false, ...options },
      files: ['main.ts'],
    }),
  });
  link(folder, '@types/node', 'undici-types');
  const compiled = node([join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'], folder);
  expect(compiled).toEqual({ status: 0, stdout: '', stderr: '' });
  // `module: preserve` leaves the import statements, which a bundler would handle.
  if (options.module === 'preserve') writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  expect(node(['main.js'], folder)).toEqual({ status: 0, stdout: printed, stderr: '' });
});

test('a Jest project loads it, with and without a mocked fetch', () => {
  const folder = createProject('jest', {
    'package.json': '{"name":"project","version":"1.0.0"}',
    'client.test.js': `
      const { ApiError, ConnectionError, createClient, createQueueProducer, verify } = require('@ringback/client');
      const { verify: verifyAnywhere } = require('@ringback/client/verify');
      const baseUrl = 'http://127.0.0.1:1024/api/v2';
      test('calls the fetch that a test gives it', async () => {
        const fetch = jest.fn(async () => Response.json({ data: { id: 'w-1' } }));
        const client = createClient({ baseUrl, token: 't', fetch });
        expect(await client.webhooks.create({ name: 'in', uri: 'https://example.com' })).toEqual({ id: 'w-1' });
        expect(fetch.mock.calls[0][1].headers['Idempotency-Key']).toMatch(/^[0-9a-f-]{36}$/);
      });
      test('reports a refused connection', async () => {
        const call = createClient({ baseUrl, token: 't', maxRetries: 0 }).webhooks.retrieve('w-1');
        await expect(call).rejects.toMatchObject({ name: 'ConnectionError', isUnsent: true });
        await expect(call).rejects.toBeInstanceOf(ConnectionError);
      });
      test('verifies', async () => {
        const headers = { signature: '1f14a62b15ba5095326d6c75c3e2e6b462dd71e1c4b7fbdac0f32309adb7be5f' };
        expect(verify({ body: '{"a":1}', headers }, { webhookId: 'abc' })).toEqual({ ok: true });
        expect(await verifyAnywhere({ body: '{"a":1}', headers }, { webhookId: 'abc' })).toEqual({ ok: true });
      });
      test('needs bullmq for the producer of queues only', () =>
        expect(createQueueProducer({ connection: { url: 'redis://127.0.0.1:1' } })).rejects.toThrow(/bullmq/));
    `,
  });
  const jest = node([join(root, 'node_modules/jest/bin/jest.js'), '--rootDir', folder, '--runInBand'], folder);
  expect(jest).toMatchObject({ status: 0, stderr: expect.stringMatching(/Tests: +4 passed, 4 total/) });
});

test('it verifies with nothing but Web Crypto', () => {
  const { status, stdout, stderr } = node(
    ['--experimental-vm-modules', '--input-type=module', '-e', bareScript],
    client,
  );
  expect([status, stderr]).toEqual([0, expect.stringMatching(/^(.*ExperimentalWarning.*\n.*\n)?$/)]);
  expect(JSON.parse(stdout)).toEqual([{ ok: true }, { ok: false, reason: 'the Signature header is wrong' }]);
});

// Deno and Bun are tested where they are installed; `npm install deno bun` in any folder installs both.
describe('its verify', () => {
  const runtimes = [
    ['node', process.execPath],
    ['deno', findProgram('deno')],
    ['bun', findProgram('bun')],
  ] as const;
  const installedRuntimes = runtimes.filter(([, file]) => file !== undefined);
  test.each(installedRuntimes)('runs in %s', (_name, file) => {
    const script = join(home, 'check.mjs');
    writeFileSync(
      script,
      `import { verify } from '@ringback/client/verify';
      const headers = { signature: '1f14a62b15ba5095326d6c75c3e2e6b462dd71e1c4b7fbdac0f32309adb7be5f' };
      console.log(JSON.stringify(await verify({ body: '{"a":1}', headers }, { webhookId: 'abc' })));`,
    );
    const { status, stdout } = runIn(home, file!, file === process.execPath ? [script] : ['run', script]);
    expect([status, stdout]).toEqual([0, '{"ok":true}\n']);
  });
  for (const [name, file] of runtimes)
    if (file === undefined) test.skip(`runs in ${name}, which is not installed`, () => undefined);
});
