import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTemporaryFolder, createTestDatabase, type TestDatabase } from '@ringback/testing';
import { ringback } from './cli.js';
import { root, run, type Running, runProgram } from './processes.js';

// What npm run clients generates is compiled, and runs the tour of examples/clients beside an API and a worker. A tool
// or a package that is missing is a failure.

const out = createTemporaryFolder('ringback-clients');
const guzzle = '/usr/share/php/GuzzleHttp/autoload.php';

type Language = {
  name: 'python' | 'php' | 'go' | 'java';
  /** What must be installed. */
  needs: string;
  /** Prepares the client in the folder `out/<name>`: installs what it needs and compiles it. */
  prepare: string[][];
  run: string[];
  env?: NodeJS.ProcessEnv;
};

const languages: Language[] = [
  {
    name: 'python',
    needs: 'Python 3.9 or later with venv and pip, and PyPI',
    prepare: [
      ['python3', '-m', 'venv', `${out}/venv`],
      [`${out}/venv/bin/pip`, 'install', '--quiet', '--disable-pip-version-check', `${out}/python`],
    ],
    run: [`${out}/venv/bin/python`, `${root}examples/clients/python/tour.py`],
  },
  {
    name: 'php',
    needs: "PHP with mbstring and curl, and Debian's package php-guzzlehttp-guzzle",
    prepare: [['php', '-r', `function_exists('mb_strlen') && is_file('${guzzle}') || exit(1);`]],
    run: ['php', `${root}examples/clients/php/tour.php`],
    env: { AUTOLOAD: `${out}/autoload.php` },
  },
  {
    name: 'go',
    needs: 'Go 1.23 or later',
    prepare: [['go', 'build', '-C', `${out}/go-tour`, '-gcflags=all=-l', '-o', `${out}/tour`, '.']],
    run: [`${out}/tour`],
  },
  {
    name: 'java',
    needs: 'Maven, a JDK 17 or later, and Maven Central',
    prepare: [
      [
        ...['mvn', '-q', '-B', '-f', `${out}/java/pom.xml`, 'dependency:copy-dependencies'],
        ...['-DincludeScope=compile', `-DoutputDirectory=${out}/jars`],
      ],
      [
        ...['javac', '-nowarn', '-d', `${out}/classes`, '-cp', `${out}/jars/*`],
        ...['-sourcepath', `${out}/java/src/main/java`, `${root}examples/clients/java/Tour.java`],
      ],
    ],
    run: ['java', '-cp', `${out}/classes:${out}/jars/*`, 'Tour'],
  },
];

/** Runs a command to its end. Throws an error with what it printed if it fails. */
async function execute(command: string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const program = runProgram(command, { CGO_ENABLED: '0', GOFLAGS: '-mod=mod', ...env });
  const code = await program.ended.catch(() => 'no such program');
  if (code !== 0) throw new Error(`${command[0]} ended with ${code}: ${program.output().slice(-4_000)}`);
  return program.output();
}

function writeProjects() {
  const folder = `${out}/go-tour`;
  mkdirSync(folder);
  cpSync(`${root}examples/clients/go/tour.go`, `${folder}/tour.go`);
  const client = 'ringback.example/clients/go';
  writeFileSync(
    `${folder}/go.mod`,
    `module tour\n\ngo 1.23\n\nrequire ${client} v0.0.0\n\nreplace ${client} => ${out}/go\n`,
  );
  writeFileSync(
    `${out}/autoload.php`,
    `<?php
require '${guzzle}';
spl_autoload_register(function ($class) {
    $file = '${out}/php/lib/' . strtr(substr($class, strlen('Ringback\\\\Client\\\\')), '\\\\', '/') . '.php';
    if (str_starts_with($class, 'Ringback\\\\Client\\\\') && is_file($file)) {
        require $file;
    }
});
`,
  );
}

const received: string[] = [];
const receiver = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    received.push(Buffer.concat(parts).toString());
    response.end();
  });
});

let database: TestDatabase;
let env: NodeJS.ProcessEnv;
const programs: Running[] = [];

beforeAll(async () => {
  const generating = execute([
    process.execPath,
    `${root}scripts/clients.mjs`,
    out,
    '--unpacked',
    'python',
    'php',
    'go',
    'java',
  ]);
  database = await createTestDatabase();
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const server = { DATABASE_URL: database.url, PORT: '0', EGRESS_ALLOWED_CIDRS: '127.0.0.0/8', LOG_FORMAT: 'json' };
  const [api, worker] = ['api', 'worker'].map((app) => run(`apps/${app}/dist/main.js`, { env: server }));
  programs.push(api!, worker!);
  const [started] = await api!.waitFor(/\{.*api\.started.*\}/);
  await worker!.waitFor(/worker\.started/);
  const account = (await ringback(['account', 'create', '--name', 'acme'], { env: server })) as {
    access_token: string;
  };
  const platform = (await ringback(['platform-token', 'create'], { env: server })) as { platform_token: string };
  env = {
    BASE_URL: `http://127.0.0.1:${JSON.parse(started).port}/api/v2`,
    TOKEN: account.access_token,
    PLATFORM_TOKEN: platform.platform_token,
    CALLBACK_URI: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/callbacks`,
  };
  await generating;
  writeProjects();
}, 600_000);
afterAll(async () => {
  await Promise.all(programs.map((program) => program.stop()));
  receiver.close();
  await database.drop();
  rmSync(out, { recursive: true });
});

test.each(languages)(
  'the generated client for $name creates, lists, rotates, resends and verifies',
  async ({ needs, prepare, run: command, env: own }) => {
    for (const step of prepare)
      await execute(step).catch((error: Error) => {
        throw new Error(`${error.message}\nThis test needs ${needs}.`);
      });
    received.length = 0;
    expect(await execute(command, { ...env, ...own })).toBe('created 3, listed 3, rotated, resent, verified\n');
    expect(received.map((body) => JSON.parse(body).status)).toEqual(['DELIVRD', 'DELIVRD']);
  },
  600_000,
);
