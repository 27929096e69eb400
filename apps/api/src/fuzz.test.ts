import http from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Client, openApi, type TestApi } from './api.fixture.js';
import { anyCallOf, plainBody, type Call, document, isFuzzed, validCallOf } from './calls.fixture.js';
import { createValidator } from './openapi/contract.fixture.js';
import { answerTestCalls, makeExamples } from './openapi/examples.fixture.js';
import { operations } from './operations.js';

let api: TestApi;
let platform: Client;
let stopAnswering: () => Promise<void>;
beforeAll(async () => {
  // No test call is to be a 503 because a busy machine was late with its answer.
  api = await openApi({ callbackTimeoutMs: 20_000 });
  platform = await api.makePlatform();
  stopAnswering = answerTestCalls(api);
});
afterAll(async () => {
  await stopAnswering();
  await api.close();
});

// What the examples speak of is there, so that their paths and ids lead somewhere, whatever was deleted before.
let account: Client;
beforeEach(async () => void (account = await makeExamples(api)));
afterEach(() => expect(api.logged.filter(({ level }) => level === 'error')).toEqual([]));

const fuzzed = operations.filter(isFuzzed);

async function send({ method, path, query, body: text, type, encoding, as, caller }: Call) {
  const right = caller === 'platform' ? platform.token : account.token;
  const headers = {
    ...(as === 'nobody' ? {} : { Authorization: `Bearer ${as === 'right' ? right : 'wrong'}` }),
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
  ...{ 200: 'OK', 202: 'OK', 400: 'BadRequest', 401: 'Unauthenticated', 404: 'NotFound', 405: 'MethodNotAllowed' },
  ...{ 409: 'Conflict', 413: 'PayloadTooLarge', 415: 'UnsupportedMediaType', 422: 'ValidationError' },
};

function expectEnvelope({ method }: Call, { status, type, text }: Awaited<ReturnType<typeof send>>) {
  expect(Object.keys(statusOf).concat('204')).toContain(String(status));
  if (status === 204 || method === 'HEAD') return void expect(text).toBe('');
  expect(type).toBe('application/json; charset=utf-8');
  const answer = JSON.parse(text);
  const isPage = answer.links !== undefined;
  const more = status < 300 ? ['data', ...(isPage ? ['links', 'meta'] : [])] : status === 422 ? ['errors'] : [];
  // A template that cannot do what its author meant has warnings. A portal session that has ended names its `return_url`.
  const optional = status < 300 ? 'warnings' : status === 401 ? 'return_url' : '';
  const keys = Object.keys(answer).filter((key) => key !== optional);
  expect(keys.sort()).toEqual(['status', 'code', 'message', ...more].sort());
  expect(answer).toMatchObject({ status: statusOf[status], code: status, message: expect.stringMatching(/\S/) });
  if (status >= 400) expect(text).not.toMatch(/\bat .*\.[jt]s:\d|node_modules|prisma|SELECT |postgres/i);
}

async function expectGood(asked: Call): Promise<number> {
  const answer = await send(asked);
  expectEnvelope(asked, answer);
  return answer.status;
}

test('all operations are tested except the document and those at the root, which have no envelope', () => {
  const left = operations.filter((operation) => !isFuzzed(operation)).map(({ id }) => id);
  expect(left).toEqual(['getDocument', 'getDocs', 'getHealth', 'getReadiness', 'getMetrics']);
});

// Always the same ones: whether any is taken is not left to chance.
const always = { numRuns: 20, seed: 1 };

test.each(fuzzed.map((operation) => [operation.id, operation] as const))(
  '%s takes what is made from its schemas',
  async (_id, operation) => {
    const statuses: number[] = [];
    for (const asked of fc.sample(validCallOf(operation), always)) statuses.push(await expectGood(asked));
    expect(statuses.filter((status) => status < 300)).not.toEqual([]);
  },
);

// The same requests each time, so that a change is judged by what it changed. Other seeds find other faults.
const seed = Number(process.env.FUZZ_SEED ?? 1);

const bodies = fuzzed.flatMap((operation) => {
  const body = plainBody(operation);
  return body ? [[operation.id, body] as const] : [];
});

test.each(bodies)('a body that is made for %s fits its schema', (_id, { schema, values }) => {
  const validate = createValidator(document);
  const fits = (value: unknown) => expect(validate(schema, JSON.parse(JSON.stringify(value)))).toBeUndefined();
  fc.assert(fc.property(values, fits), { seed });
});

const requests = Number(process.env.FUZZ_REQUESTS ?? 300);
const atOnce = 100;
const rounds = Array.from({ length: Math.ceil(requests / atOnce) }, (_, index) => index * atOnce);

test.each(rounds)(
  'whatever is asked of the API after %d requests, it answers in its own shape, and never with a fault of its own',
  async (before) => {
    // More goes into a body than into the rest.
    const weighted = fuzzed.map((one) => ({ arbitrary: anyCallOf(one), weight: one.body ? 5 : 1 }));
    const anyCall = fc.oneof(...weighted);
    const property = fc.asyncProperty(anyCall, async (asked) => void (await expectGood(asked)));
    await fc.assert(property, { numRuns: Math.min(atOnce, requests - before), seed: seed + before });
    await expectListed();
  },
);

/** What was stored of all that can be listed page by page. */
async function expectListed() {
  for (let page = 1, last = 1; page <= last; page++) {
    const { body: answer } = await account
      .get(`/developer/webhooks?page=${page}&per_page=100&filter[trashed]=with`)
      .expect(200);
    last = answer.meta.last_page;
    expect(answer.data.length).toBeLessThanOrEqual(100);
  }
}
