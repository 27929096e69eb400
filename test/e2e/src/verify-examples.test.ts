import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { findFreePort } from '@ringback/embedded';
import { createTemporaryFolder, createTestDatabase, type TestDatabase } from '@ringback/testing';
import { customer } from './api.js';
import { ringback } from './cli.js';
import { runCommand } from './command.js';
import { root, run, type Running, runProgram } from './processes.js';
import { type Language, languages, missingPrograms } from './verify-languages.js';
import { type Vector, vectors, vectorsFile, verifyVector } from './verify-vectors.js';

type Account = { id: string; access_token: string; callback_token: string };
type Attempt = { request: { headers: Record<string, string>; body: string } };

const out = createTemporaryFolder('ringback-verify');
afterAll(() => rmSync(out, { recursive: true }));

// Go needs no C compiler, and Python writes no compiled files beside the examples.
const defaults = { CGO_ENABLED: '0', PYTHONDONTWRITEBYTECODE: '1', SECRET: '', WEBHOOK_ID: '', BEARER: '' };

/** Runs a command to its end. */
async function execute(command: string[]): Promise<{ code: number | null; output: string }> {
  const program = runProgram(command, defaults);
  return { code: await program.ended, output: program.output() };
}

describe('examples/verify/vectors.json', () => {
  test('is up to date (otherwise run node test/e2e/dist/verify-vectors.js)', () => {
    expect(JSON.parse(readFileSync(vectorsFile, 'utf8'))).toEqual(vectors);
  });

  test('has the results of verify() of packages/client', () => {
    const resultOf = (vector: Vector) => {
      try {
        return verifyVector(vector).ok ? 'genuine' : 'refused';
      } catch {
        return 'error';
      }
    };
    expect(vectors.filter((vector) => resultOf(vector) !== vector.expected)).toEqual([]);
  });
});

const wrongVectors = vectors.map((vector) => ({
  ...vector,
  expected: vector.expected === 'genuine' ? 'refused' : 'genuine',
}));

// The types of Go, Java and C# let no parsed body through.
const parsedBody: [language: string, command: string[], message: RegExp][] = [
  [
    'node',
    [
      ...['node', '--input-type=module', '-e'],
      `import { findSignatureProblem } from '${root}examples/verify/node/verify.mjs'; findSignatureProblem('id', 'token', {}, { a: 1 });`,
    ],
    /TypeError: rawBody is not the raw body .* express\.raw/,
  ],
  [
    'python',
    [
      'python3',
      '-c',
      `import sys; sys.path.insert(0, '${root}examples/verify/python'); import verify; verify.find_signature_problem('id', 'token', {}, {'a': 1})`,
    ],
    /TypeError: raw_body is not the raw body: use request\.get_data\(\)/,
  ],
  [
    'php',
    [
      'php',
      '-r',
      `require '${root}examples/verify/php/verify.php'; findSignatureProblem('id', 'token', [], ['a' => 1]);`,
    ],
    /TypeError: findSignatureProblem\(\): Argument #4 \(\$rawBody\) must be of type string, array given/,
  ],
  [
    'ruby',
    [
      'ruby',
      '-e',
      `require '${root}examples/verify/ruby/verify'; Callbacks.find_signature_problem('id', 'token', {}, { 'a' => 1 })`,
    ],
    /raw_body is not the raw body: use request\.raw_post of Rails\. \(TypeError\)/,
  ],
];

describe('beside an API and a worker', () => {
  let database: TestDatabase;
  let account: Account;
  let call: ReturnType<typeof customer>;
  const programs: Running[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    const env = { DATABASE_URL: database.url, PORT: '0', EGRESS_ALLOWED_CIDRS: '127.0.0.0/8', LOG_FORMAT: 'json' };
    const [api, worker] = ['api', 'worker'].map((app) => run(`apps/${app}/dist/main.js`, { env }));
    programs.push(api!, worker!);
    const [started] = await api!.waitFor(/\{.*api\.started.*\}/);
    await worker!.waitFor(/worker\.started/);
    account = (await ringback(['account', 'create', '--name', 'acme'], { env })) as Account;
    call = customer(`http://127.0.0.1:${JSON.parse(started).port}/api/v2/developer`, account.access_token);
  });
  afterAll(async () => {
    await Promise.all(programs.map((program) => program.stop()));
    await database.drop();
  });

  /** Creates a webhook, starts a receiver with its settings, and makes a test call to it. */
  async function callReceiver(language: Language, settingsOf: (id: string, secret: string) => NodeJS.ProcessEnv) {
    const port = await findFreePort();
    const uri = `http://127.0.0.1:${port}/callbacks`;
    const { id } = (await call('POST', '/webhooks', { name: language.name, uri })).body.data;
    const { secret } = (await call('GET', `/webhooks/${id}/signing-secret`)).body.data;
    const receiver = runProgram(language.receiver(out, port), {
      ...defaults,
      PORT: String(port),
      ...settingsOf(id, secret),
    });
    programs.push(receiver);
    await receiver.waitFor(new RegExp(`http://[\\w.]+:${port}`));
    const testCall = await call('POST', `/webhooks/${id}/test`, { event: 'sms:message:status' });
    return { id, uri, receiver, attempt: testCall.body.data.attempt as Attempt };
  }

  async function expectToRefuse(uri: string, header: string, { headers, body }: Attempt['request']) {
    const checked = Object.entries(headers).filter(([name]) => /^(authorization|signature|webhook-.*)$/i.test(name));
    const post = async (body: string | ReadableStream, names = /./) => {
      const headers = Object.fromEntries(checked.filter(([name]) => names.test(name)));
      const response = await fetch(uri, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
      return [response.status, (await response.text()).trim()];
    };
    expect(await post(body)).toEqual([200, '']);
    expect(await post(`${body} `)).toEqual([401, `the ${header} header is wrong`]);
    expect(await post(body, /^(auth|webhook-[it])/i)).toEqual([401, `the ${header} header is missing`]);
    // Without a length, as behind some proxies.
    const half = body.length / 2;
    expect(await post(chunksOf(body.slice(0, half), body.slice(half)))).toEqual([200, '']);
    expect(await post(chunksOf(body, ' '))).toEqual([401, `the ${header} header is wrong`]);
  }

  test('examples/verify/node/standard-webhooks.mjs accepts a callback and refuses an altered one', async () => {
    const env: NodeJS.ProcessEnv = {};
    const { attempt } = await callReceiver(languages[0]!, (_id, SECRET) => Object.assign(env, { SECRET }));
    const { headers, body } = attempt.request;
    const args = ['id', 'timestamp', 'signature'].map((name) => headers[`webhook-${name}`] ?? '');
    const verifyBody = (input: string) =>
      runCommand('examples/verify/node/standard-webhooks.mjs', { args, env: { ...env }, input });
    expect(await verifyBody(body)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^genuine/), stderr: '' });
    expect(await verifyBody(`${body} `)).toMatchObject({ code: 1, stdout: '' });
  });

  for (const language of languages) {
    const isMissing = missingPrograms(language).length > 0;
    (isMissing ? describe.skip : describe)(`examples/verify/${language.name}`, () => {
      beforeAll(async () => {
        for (const command of language.compile(out)) expect(await execute(command)).toEqual({ code: 0, output: '' });
      });

      test('passes all vectors, and notices each wrong one', async () => {
        const passed = `${vectors.length} of ${vectors.length} vectors passed\n`;
        expect(await execute(language.vectors(out, vectorsFile))).toEqual({ code: 0, output: passed });
        const wrongFile = `${out}/wrong.json`;
        writeFileSync(wrongFile, JSON.stringify(wrongVectors, null, 2));
        const { code, output } = await execute(language.vectors(out, wrongFile));
        const failed = output.split('\n').flatMap((line) => /^FAILED (.*): expected/.exec(line)?.[1] ?? []);
        expect({ code, failed }).toEqual({ code: 1, failed: vectors.map(({ name }) => name) });
      });

      for (const [name, command, message] of parsedBody.filter(([name]) => name === language.name)) {
        test(`says to a caller in ${name} who passes a parsed body that it must be the raw one`, async () => {
          const { code, output } = await execute(command);
          expect(output).toMatch(message);
          expect(code).not.toBe(0);
        });
      }

      test('has a receiver that accepts callbacks with webhook-signature and refuses forged ones', async () => {
        const { uri, receiver, attempt } = await callReceiver(language, (_id, SECRET) => ({ SECRET }));
        expect(attempt).toMatchObject({ error: null, response: { code: 200 } });
        await receiver.waitFor(/genuine .*"status"/);
        await expectToRefuse(uri, 'webhook-signature', attempt.request);
        if (language.name !== 'php') expect(await statusOfLongBody(uri)).toBe(401);
      });

      // PHP's server starts without reading the receiver.
      if (language.name !== 'php') {
        test('has a receiver that does not start without settings', async () => {
          const { code, output } = await execute(language.receiver(out, 0));
          expect(output).toContain('Set SECRET, or WEBHOOK_ID and BEARER.');
          expect(code).not.toBe(0);
        });
      }

      test('has a receiver that accepts callbacks with Signature and refuses forged ones', async () => {
        const BEARER = account.callback_token;
        const { id, uri, attempt } = await callReceiver(language, (WEBHOOK_ID) => ({ WEBHOOK_ID, BEARER }));
        expect(attempt).toMatchObject({ error: null, response: { code: 200 } });
        // The stored request has no token.
        const headers = { ...attempt.request.headers, Authorization: `Bearer ${BEARER}` };
        await expectToRefuse(uri, 'Signature', { ...attempt.request, headers });
        const large = Buffer.alloc(9_000_000, 'x');
        const signature = createHmac('sha256', id).update(large).digest('hex');
        const signed = { authorization: `Bearer ${BEARER}`, signature, 'content-type': 'application/json' };
        expect((await fetch(uri, { method: 'POST', headers: signed, body: large })).status).toBe(200);
      });
    });
  }
});

/** A request body that fetch sends in these chunks. */
const chunksOf = (...texts: string[]) =>
  new ReadableStream({
    async pull(controller) {
      const text = texts.shift();
      if (text === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(text));
    },
  });

/** The status of a request that announces a body of 30 MB and sends nothing of it. */
async function statusOfLongBody(uri: string): Promise<number | undefined> {
  const sent = request(uri, { method: 'POST', headers: { 'content-length': 30_000_000 } });
  sent.on('error', () => undefined).flushHeaders();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  sent.destroy();
  return response.statusCode;
}
