import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type supertest from 'supertest';
import { errorBody, startApi, type TestApi } from '../api.fixture.js';

/** The page, which names its files by the way to `/portal/`. */
const pageWith = (way: string) => `<!doctype html><script src="${way}assets/index-1a2b3c4d.js"></script>`;
const script = `export const text = '${'long '.repeat(1_000)}';\n`;
const encodings = [
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
] as const;
let folder: string;
let api: TestApi;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringback-portal-'));
  mkdirSync(join(folder, 'assets'));
  mkdirSync(join(folder, '.vite'));
  writeFileSync(join(folder, 'index.html'), pageWith('./'));
  writeFileSync(join(folder, 'robots.txt'), 'robots');
  writeFileSync(join(folder, 'assets/index-1a2b3c4d.js'), script);
  writeFileSync(join(folder, 'assets/dot.png'), Buffer.from([0x89, 0x50]));
  writeFileSync(join(folder, '.vite/manifest.json'), '{"secret": true}');
  writeFileSync(join(folder, '.env'), 'secret');
  api = await startApi({ portalFolder: folder });
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

const policy = (ancestors: string, logos = '') =>
  "default-src 'none';base-uri 'none';form-action 'none';" +
  `frame-ancestors ${ancestors};script-src 'self';style-src 'self';connect-src 'self';font-src 'self';` +
  `img-src 'self' data:${logos}`;

const expectSafe = ({ headers }: supertest.Response) => {
  expect(headers['content-security-policy']).toBe(policy("'none'"));
  expect(headers['referrer-policy']).toBe('no-referrer');
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['x-frame-options']).toBe('DENY');
};

describe('the page', () => {
  test.each([
    ['/portal', 'portal/'],
    ['/portal?a=/', 'portal/'],
    ['/portal/', './'],
    ['/portal/index.html', './'],
    ['/portal/deliveries', './'],
    ['/portal/deliveries/', '../'],
    ['/portal/webhooks/a%2Fb?c=d/e', '../'],
    ['/portal/webhooks/a/edit', '../../'],
    ['/portal/x.js', './'],
    ['/portal/%zz', './'],
  ])('is at %s, is not cached, and finds its files at %s', async (path, way) => {
    const answer = await api.raw.get(path);
    expect([answer.status, answer.text, answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
      ...[200, pageWith(way), 'text/html; charset=utf-8', 'no-store'],
    ]);
    expectSafe(answer);
    expect((await api.raw.head(path)).status).toBe(200);
  });

  test.each([
    '/portal/.env',
    '/portal/.vite/manifest.json',
    '/portal/../package.json',
    '/portal/..%2f..%2fpackage.json',
  ])('shows no other file: %s', async (path) => {
    const { text } = await api.raw.get(path);
    expect(text).not.toMatch(/secret|"name"/);
  });

  test('has compressed files, which are cached for a year when their names have a hash', async () => {
    const path = '/portal/assets/index-1a2b3c4d.js';
    const plain = await api.raw.get(path).set('Accept-Encoding', 'identity');
    expect([plain.status, plain.text, plain.headers['content-encoding']]).toEqual([200, script, undefined]);
    for (const [accepted, encoding] of [...encodings, ...encodings]) {
      const { text, headers } = await api.raw.get(path).set('Accept-Encoding', accepted);
      expect([text, headers['content-encoding']]).toEqual([script, encoding]);
      expect(Number(headers['content-length'])).toBeLessThan(script.length / 10);
    }
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    expectSafe(plain);
    const image = await api.raw.get('/portal/assets/dot.png');
    expect([image.headers['content-type'], image.headers['content-encoding']]).toEqual(['image/png', undefined]);
  });

  test('has no cache for other files, and no page for assets of another release', async () => {
    const robots = await api.raw.get('/portal/robots.txt');
    expect([robots.text, robots.headers['cache-control']]).toEqual(['robots', 'no-store']);
    const gone = await api.raw.get('/portal/assets/index-old.js');
    expect([gone.status, gone.body]).toEqual([404, errorBody(404, 'NotFound', 'Not Found.')]);
    expect(gone.headers['cache-control']).toBe('no-store');
  });

  test('can only be read', async () => {
    for (const method of ['post', 'put', 'delete', 'patch'] as const) {
      const answer = await api.raw[method]('/portal/deliveries');
      expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
    }
  });

  test.each([
    ['https://api.test/api/v2', '../api/v2'],
    ['http://127.0.0.1:3000', '..'],
  ])('gets the way to the API at %s', async (baseUrl, path) => {
    const other = await api.variant({ baseUrl });
    expect((await other.raw.get('/portal/config.json')).body).toEqual({
      api: path,
      frame_ancestors: [],
      header_prefix: 'X-Ringback-',
    });
  });

  test('leaves the paths of the API free when both are at the root', async () => {
    const atRoot = await api.variant({ baseUrl: 'http://127.0.0.1:3000' });
    expect((await atRoot.raw.post('/portal-sessions').send({})).status).toBe(401);
  });

  test.each([
    ['an empty folder', 'assets'],
    ['no folder', 'nothing'],
    ['no package', undefined],
  ])('is a message when there is %s', async (_folder, name) => {
    const empty = await api.variant({ portalFolder: name === undefined ? undefined : join(folder, name) });
    for (const path of ['/portal', '/portal/deliveries', '/portal/assets/x.js']) {
      const { status, text, headers } = await empty.raw.get(path);
      expect([status, headers['content-type']]).toEqual([503, 'text/plain; charset=utf-8']);
      expect(text).toBe('The portal has not been built. Run `npm run build`, then restart the API.\n');
    }
  });
});

test('the policy has the origins of frames and logos, and X-Frame-Options is not set', async () => {
  const frameAncestors = ['https://a.example', 'http://b.example:8080'];
  const framed = await api.variant({ frameAncestors, logoOrigins: ['https://cdn.example'] });
  const { headers } = await framed.raw.get('/portal/');
  expect(headers['content-security-policy']).toBe(policy(frameAncestors.join(' '), ' https://cdn.example'));
  expect((await framed.raw.get('/portal/config.json')).body.frame_ancestors).toEqual(frameAncestors);
  expect(headers).not.toHaveProperty('x-frame-options');
  const docs = await framed.raw.get('/docs');
  expect(docs.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(docs.headers['x-frame-options']).toBe('SAMEORIGIN');
});

test('the custom element is a script that pages of other origins may load', async () => {
  const { text, headers } = await api.raw.get('/portal/element.js');
  expect(headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
  });
  expect(() => new Script(text)).not.toThrow();
  expect(text).not.toMatch(/innerHTML|eval|\.style\.cssText/);
});
