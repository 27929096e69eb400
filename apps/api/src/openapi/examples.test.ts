import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Client, startApi, type TestApi } from '../api.fixture.js';
import { operations } from '../operations.js';
import { answerTestCalls, makeExamples } from './examples.fixture.js';
import { parseRoute } from '../http/operation.js';

let api: TestApi;
let platform: Client;
let stopAnswering: () => Promise<void>;
beforeAll(async () => {
  api = await startApi();
  stopAnswering = answerTestCalls(api);
  platform = await api.makePlatform();
});
afterAll(async () => {
  await stopAnswering();
  await api.close();
});

let account: Client;
// Operations that only read share the objects: making them takes longer than the test.
let isUnchanged = false;
beforeEach(async () => {
  if (!isUnchanged) account = await makeExamples(api);
  isUnchanged = false;
});

const answersInEnvelope = operations.filter(({ response }) => 'message' in response);
const pathOf = (operation: (typeof operations)[number]) => {
  const { path: values = {}, query = {} } = operation.example;
  const filled = Object.entries(values).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, String(value)),
    parseRoute(operation).path,
  );
  const queryString = new URLSearchParams(query).toString();
  return queryString === '' ? filled : `${filled}?${queryString}`;
};

/** Replaces ids, times and tokens, which differ between runs. */
const normalise = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, member: unknown) => (key === 'id' && typeof member === 'number' ? 0 : member))
      .replace(/whsec_[\w+/=]+/g, '<secret>')
      .replace(/https?:[^"]*#session=/g, '<page>')
      .replace(/cursor":"[\w-]{40}"/g, 'cursor":"<cursor>"')
      .replace(/rb_(access|callback|portal|session)_[\w-]+/g, '<token>')
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'),
  );

test.each(answersInEnvelope.map((operation) => [operation.id, operation] as const))(
  'the example of %s is what the API responds',
  async (_id, operation) => {
    const { method, path: template } = parseRoute(operation);
    const { body: document } = await api.raw.get('/api/v2/openapi.json');
    const { responses } = document.paths[template][method];
    const [code = ''] = Object.keys(responses);
    const { example } = responses[code].content['application/json'];
    const client = operation.callerKind === 'platform' ? platform : account;
    const { status, body } = await (operation.atRoot
      ? api.raw[method](pathOf(operation))
      : client[method](pathOf(operation), operation.example.body));
    expect([String(status), normalise(body)]).toEqual([code, normalise(example)]);
    isUnchanged = method === 'get';
  },
);

test.each(
  operations.filter(({ response }) => 'type' in response).map((operation) => [operation.id, operation] as const),
)('the response of %s has its documented type', async (_id, operation) => {
  const below = operation.atRoot ? '' : '/api/v2';
  const { status, type } = await api.raw.get(`${below}${parseRoute(operation).path}`);
  expect([status, { type }]).toEqual([200, operation.response]);
});
