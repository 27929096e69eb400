import http from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Client, startApi, type TestApi } from '../api.fixture.js';
import { anyCallOf, bodyOf, type Call, document, isFuzzed, validCallOf } from './calls.fixture.js';
import { createValidator } from '../openapi/contract.fixture.js';
import { answerTestCalls, makeExamples } from '../openapi/examples.fixture.js';
import { operations } from '../operations.js';

let api: TestApi;
let platform: Client;
let stopAnswering: () => Promise<void>;
beforeAll(async () => {
  // On a busy machine a test call may take long. It must not become a 503.
  api = await startApi({ callbackTimeoutMs: 20_000 });
  platform = await api.makePlatform();
  stopAnswering = answerTestCalls(api);
});
afterAll(async () => {
  await stopAnswering();
  await api.close();
});

// The objects of the examples exist before each test, even if the last one deleted them.
let account: Client;
beforeEach(async () => void (account = await makeExamples(api)));
afterEach(() => expect(api.logged.filter(({ level }) => level === 'error')).toEqual([]));

const fuzzed = operations.filter(isFuzzed);

async function send({ method, path, query, body: text, type, encoding, token, caller }: Call) {
  const validToken = caller === 'platform' ? platform.token : account.token;
  const headers = {
    ...(token === 'none' ? {} : { Authorization: `Bearer ${token === 'valid' ? validToken : 'wrong'}` }),
    ...(text === undefined ? {} : { 'Content-Type': type, 'Content-Encoding': encoding }),
    ...(text === undefined ? {} : { 'Content-Length': Buffer.byteLength(text) }),
  };
  return new Promise<{ status: number; type: string; text: string }>((resolve, reject) => {
    const target = { port: api.port, method, path: `/api/v2${path}?${query}`, headers };
    const request = http.request(target, (response) => {
      let received = '';
      response.setEncoding('utf8').on('data', (part: string) => (received += part));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text: received }),
      );
    });
    request.on('error', reject).end(text);
  });
}

const statusOf: Record<number, string> = {
  200: 'OK',
  202: 'OK',
  400: 'BadRequest',
  401: 'Unauthenticated',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  422: 'ValidationError',
};

function expectEnvelope({ method, path }: Call, { status, type, text }: Awaited<ReturnType<typeof send>>) {
  expect(Object.keys(statusOf).concat('204')).toContain(String(status));
  if (status === 204 || method === 'HEAD') return void expect(text).toBe('');
  expect(type).toBe('application/json; charset=utf-8');
  const answer = JSON.parse(text);
  const isPage = answer.links !== undefined;
  // Outcomes have a cursor for the next request, and no links.
  const pageFields = isPage ? ['links', 'meta'] : path === '/platform/outcomes' ? ['meta'] : [];
  const requiredFields = status < 300 ? ['data', ...pageFields] : status === 422 ? ['errors'] : [];
  // The response to creating or editing a webhook may have `warnings`, and that to an ended session `return_url`.
  const optionalField = status < 300 ? 'warnings' : status === 401 ? 'return_url' : '';
  const keys = Object.keys(answer).filter((key) => key !== optionalField);
  expect(keys.sort()).toEqual(['status', 'code', 'message', ...requiredFields].sort());
  expect(answer).toMatchObject({ status: statusOf[status], code: status, message: expect.stringMatching(/\S/) });
  if (status >= 400) expect(text).not.toMatch(/\bat .*\.[jt]s:\d|node_modules|prisma|SELECT |postgres/i);
}

async function sendAndCheck(call: Call): Promise<number> {
  const answer = await send(call);
  expectEnvelope(call, answer);
  return answer.status;
}

test('all operations are tested except the document and those at the root', () => {
  const untested = operations.filter((operation) => !isFuzzed(operation)).map(({ id }) => id);
  expect(untested).toEqual(['getDocument', 'getDocs', 'getHealth', 'getReadiness', 'getMetrics']);
});

// A fixed seed, so that chance does not decide whether a request is accepted.
const fixedSample = { numRuns: 20, seed: 1 };

test.each(fuzzed.map((operation) => [operation.id, operation] as const))(
  '%s accepts requests that are generated from its schemas',
  async (_id, operation) => {
    const statuses: number[] = [];
    for (const call of fc.sample(validCallOf(operation), fixedSample)) statuses.push(await sendAndCheck(call));
    expect(statuses.filter((status) => status < 300)).not.toEqual([]);
  },
);

// The same requests in each run, so that a failure is due to a change of the code. Other seeds find other faults.
const seed = Number(process.env.FUZZ_SEED ?? 1);

const bodies = fuzzed.flatMap((operation) => {
  const body = bodyOf(operation);
  return body ? [[operation.id, body] as const] : [];
});

test.each(bodies)('a body that is generated for %s fits its schema', (_id, { schema, values }) => {
  const validate = createValidator(document);
  const fits = (value: unknown) => expect(validate(schema, JSON.parse(JSON.stringify(value)))).toBeUndefined();
  fc.assert(fc.property(values, fits), { seed });
});

const requestCount = Number(process.env.FUZZ_REQUESTS ?? 300);
const requestsPerRound = 100;
const rounds = Array.from(
  { length: Math.ceil(requestCount / requestsPerRound) },
  (_, index) => index * requestsPerRound,
);

test.each(rounds)(
  'after %d requests, any request gets a response in the documented shape, and no internal error',
  async (before) => {
    // Operations with a body get more requests, because their input varies more.
    const weighted = fuzzed.map((operation) => ({ arbitrary: anyCallOf(operation), weight: operation.body ? 5 : 1 }));
    const anyCall = fc.oneof(...weighted);
    const property = fc.asyncProperty(anyCall, async (call) => void (await sendAndCheck(call)));
    await fc.assert(property, { numRuns: Math.min(requestsPerRound, requestCount - before), seed: seed + before });
    await expectReadablePages();
  },
);

/** Expects that every page of the list of webhooks can be read. */
async function expectReadablePages() {
  for (let page = 1, last = 1; page <= last; page++) {
    const { body: answer } = await account
      .get(`/developer/webhooks?page=${page}&per_page=100&filter[trashed]=with`)
      .expect(200);
    last = answer.meta.last_page;
    expect(answer.data.length).toBeLessThanOrEqual(100);
  }
}
