import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import { verifyCallback } from './middleware.js';

const webhookId = '180ebbb5-9b6f-4c51-a98a-0123456789ab';
const text = '{"id":"m-1:1", "units":2}';

/** The status and the JSON with which a receiver that reads bodies with `reader` answers a callback. */
async function call(reader: RequestHandler, body: string, headers: Record<string, string> = {}) {
  const app = express().disable('x-powered-by');
  const fail: express.ErrorRequestHandler = (error, _request, response, _next) =>
    void response.status(500).json({ error: String(error) });
  app.post('/in', reader, verifyCallback({ webhookId }), (request, response) => void response.json(request.body));
  app.use(fail);
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const signature = createHmac('sha256', webhookId).update(body).digest('hex');
  const all = { 'content-type': 'application/json', signature, ...headers };
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/in`, { method: 'POST', headers: all, body });
    return [answer.status, await answer.json()];
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const raw = express.raw({ type: 'application/json' });

test('a genuine callback passes, with its body parsed', async () => {
  expect(await call(raw, text)).toEqual([200, { id: 'm-1:1', units: 2 }]);
});

test('accepts the raw body in request.rawBody', async () => {
  const keeping = express.json({
    verify: (request, _response, bytes) => void Object.assign(request, { rawBody: bytes }),
  });
  expect(await call(keeping, text)).toEqual([200, { id: 'm-1:1', units: 2 }]);
});

test('answers a forged callback with 401 and the reason', async () => {
  const answer = await call(raw, text, { signature: '00' });
  expect(answer).toEqual([401, { message: 'the Signature header is wrong' }]);
});

test('answers a signed body that is not JSON with 400', async () => {
  expect(await call(raw, '{')).toEqual([400, { message: 'the body is not JSON' }]);
});

test.each([
  ['parsed', express.json()],
  ['read as text', express.text({ type: 'application/json' })],
] satisfies [string, RequestHandler][])(
  'a body that was %s before is an error with instructions',
  async (_, reader) => {
    const [status, body] = await call(reader, text);
    expect([status, JSON.stringify(body)]).toEqual([
      500,
      expect.stringMatching(/needs the raw body.*express\.raw\(.*20mb/),
    ]);
  },
);

const ignoreBody: RequestHandler = (_request, _response, next) => next();
const ignoreBodyAsExpress4: RequestHandler = (request, _response, next) => {
  request.body = {};
  next();
};

test.each([
  ['has neither a body nor a type', raw, { body: '', type: '' }],
  ['has another type of content', raw, { type: 'text/plain' }],
  ['has another type of content, where express.json() keeps the raw body', express.json(), { type: 'text/plain' }],
  ['has another type of content, in Express 4', ignoreBodyAsExpress4, { type: 'text/plain' }],
  ['no parser reads', ignoreBody, {}],
] satisfies [string, RequestHandler, object][])('answers a request that %s with 401', async (_, reader, given) => {
  const { body, type } = { body: text, type: 'application/json', ...given };
  const answer = await call(reader, body, { 'content-type': type });
  expect(answer).toEqual([401, { message: expect.stringMatching(/^there is no raw body: .*express\.raw\(/) }]);
});

test('options without a check fail when the receiver starts', () => {
  expect(() => verifyCallback({})).toThrow('verify: give webhookId');
  expect(() => verifyCallback({ webhookId, bearer: '' })).toThrow('bearer is empty');
});
