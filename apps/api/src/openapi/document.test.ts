import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { startApi, type TestApi } from '../api.fixture.js';

let api: TestApi;
beforeAll(async () => void (api = await startApi()));
afterAll(() => api.close());

describe('the document', () => {
  test('is served without a token below the base URL, and contains that URL', async () => {
    const { status, body } = await api.raw.get('/api/v2/openapi.json');
    expect(status).toBe(200);
    expect(body).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'https://api.test/api/v2' }] });
    const elsewhere = await api.variant({ baseUrl: 'https://other.test' });
    expect((await elsewhere.raw.get('/openapi.json')).body.servers).toEqual([{ url: 'https://other.test' }]);
  });

  test('passes the linter', async () => {
    const { text } = await api.raw.get('/api/v2/openapi.json');
    const config = await createConfig({ extends: ['recommended-strict'], rules: { 'tag-description': 'off' } });
    const faults = await lintFromString({ source: text, config });
    expect(faults.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  test('does not pass the linter with a fault: a parameter of a path is missing', async () => {
    const { body } = await api.raw.get('/api/v2/openapi.json');
    delete body.paths['/developer/webhooks/{id}'].get.parameters;
    const config = await createConfig({ extends: ['recommended-strict'] });
    const faults = await lintFromString({ source: JSON.stringify(body), config });
    expect(faults.map(({ ruleId }) => ruleId)).toContain('path-parameters-defined');
  });

  test('has the schemas of requests and responses', async () => {
    const { body } = await api.raw.get('/api/v2/openapi.json');
    const { WebhookInput, Webhook, WebhookWithNumericStatus } = body.components.schemas;
    expect(WebhookInput.required).toEqual(['name', 'uri']);
    expect(Object.keys(WebhookInput.properties).sort()).toEqual(
      ['name', 'payload', 'rate_limit', 'secret', 'signing', 'status', 'tls', 'token', 'uri'].sort(),
    );
    expect([Webhook.properties.status.enum, WebhookWithNumericStatus.properties.status.enum]).toEqual([
      ['1', '0'],
      [1, 0],
    ]);
  });
});

describe('for client generators, the document', () => {
  let schemas: { path: string; schema: Record<string, unknown> }[];
  let document: Record<string, never>;
  beforeAll(async () => {
    ({ body: document } = await api.raw.get('/api/v2/openapi.json'));
    schemas = [];
    const visit = (value: unknown, path: string) => {
      if (typeof value !== 'object' || value === null || /\/(example|enum)$/.test(path)) return;
      if ('type' in value || 'anyOf' in value || 'const' in value) schemas.push({ path, schema: { ...value } });
      for (const [key, member] of Object.entries(value)) visit(member, `${path}/${key}`);
    };
    visit(document, '');
  });
  const pathsOf = (isWrong: (schema: Record<string, unknown>) => boolean) =>
    schemas.filter(({ schema }) => isWrong(schema)).map(({ path }) => path);

  test('has one type for each value, which may also be null', () => {
    expect(schemas.length).toBeGreaterThan(500);
    expect(pathsOf(({ type }) => Array.isArray(type) && (type.length !== 2 || type[1] !== 'null'))).toEqual([]);
    expect(pathsOf(({ enum: words }) => new Set([words].flat().map((word) => typeof word)).size > 1)).toEqual([]);
    const nulls = schemas.filter(({ schema }) => schema.type === 'null').map(({ path }) => path);
    expect(nulls.filter((path) => !path.endsWith('/anyOf/1'))).toEqual([]);
  });

  test('has only patterns that every language reads', () => {
    expect(pathsOf(({ pattern }) => /\(\?|\[\^?\]/.test(String(pattern ?? '')))).toEqual([]);
  });

  test('forbids further fields only where a request with them is refused', () => {
    const forbidding = pathsOf(({ additionalProperties }) => additionalProperties === false);
    expect(forbidding.filter((path) => !/\/(\w+Input|\w+Patch|WebhookUpdate|DeliveryFilter)(\/|$)/.test(path))).toEqual(
      [],
    );
    expect(forbidding).toContain('/components/schemas/ReplayInput');
  });

  test('has no input whose name begins with New, which is a constructor in Go', () => {
    expect(Object.keys(Object(document).components.schemas).filter((name) => /^New/.test(name))).toEqual([]);
  });

  test('has typed filters, the 405 and the callbacks', () => {
    const { get } = Object(document).paths['/developer/deliveries'];
    const typeOf = (wanted: string) => get.parameters.find(({ name }: { name: string }) => name === wanted);
    expect(typeOf('filter[since]').schema).toEqual({ type: 'string', format: 'date-time' });
    expect(typeOf('filter[response_code]').schema).toMatchObject({ type: 'integer' });
    expect(typeOf('filter[status]')).toMatchObject({ explode: false, schema: { type: 'array' } });
    expect(get.responses).toHaveProperty('405');
    expect(Object.keys(Object(document).webhooks)).toEqual([
      'sms:message:status',
      'rcs:message:status',
      'rcs:message:in',
      'webhook:paused',
      'verification',
    ]);
    const { post } = Object(document).webhooks['sms:message:status'];
    expect(post.parameters.map(({ name }: { name: string }) => name)).toContain('Signature');
  });
});

describe('the page', () => {
  const policy = "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'";
  const pagePolicy = `${policy};script-src 'self';style-src 'self';connect-src 'self';img-src 'self' data:`;

  test('loads its style and its scripts from this server', async () => {
    const { text, headers } = await api.raw.get('/docs');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    const files = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, file]) => file);
    // Without an icon of its own, a browser asks for /favicon.ico.
    expect(files.shift()).toBe('data:,');
    expect(files).toEqual(['docs/swagger-ui.css', 'docs/swagger-ui-bundle.js', 'docs/start.js']);
    for (const file of files) {
      const response = await api.raw.get(`/${file}`);
      expect([response.status, response.headers['cache-control']]).toEqual([200, 'no-store']);
      expect(response.headers['content-type']).toMatch(/^text\/(css|javascript); charset=utf-8$/i);
    }
  });

  test('shows the document below the base URL', async () => {
    expect((await api.raw.get('/docs/start.js')).text).toContain(
      'new URL("../api/v2/openapi.json", document.currentScript.src)',
    );
    const elsewhere = await api.variant({ baseUrl: 'http://other.test' });
    expect((await elsewhere.raw.get('/docs/start.js')).text).toContain(
      'new URL("../openapi.json", document.currentScript.src)',
    );
  });

  test('serves no other file of Swagger UI, and no other method', async () => {
    for (const file of ['index.html', 'swagger-initializer.js', 'package.json', '', '..%2fpackage.json'])
      expect((await api.raw.get(`/docs/${file}`).redirects(0)).status).toBe(file === '' ? 200 : 404);
    expect((await api.raw.post('/docs/start.js')).status).toBe(404);
  });

  test('has a policy without inline scripts, inline styles and foreign origins', async () => {
    const { text, headers } = await api.raw.get('/docs');
    expect(headers['content-security-policy']).toBe(pagePolicy);
    expect(text).not.toMatch(/<script>|<style|\sstyle=|\son\w+=|https?:/i);
    const other = await api.raw.get('/healthz');
    expect(other.headers['content-security-policy']).toBe(policy);
  });

  test('has the same policy when the base URL is http: nothing upgrades it to https', async () => {
    const plain = await api.variant({ baseUrl: 'http://127.0.0.1:3000/api/v2' });
    expect((await plain.raw.get('/docs')).headers['content-security-policy']).toBe(pagePolicy);
  });
});
