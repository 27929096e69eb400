import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { openApi, type TestApi } from '../api.fixture.js';
import { operations } from '../operations.js';

let api: TestApi;
beforeAll(async () => void (api = await openApi()));
afterAll(() => api.close());

describe('the document', () => {
  test('is served to everybody below the base url, and says where that is', async () => {
    const { status, body } = await api.raw.get('/api/v2/openapi.json');
    expect(status).toBe(200);
    expect(body).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'https://api.test/api/v2' }] });
    const elsewhere = await api.variant({ baseUrl: 'https://other.test' });
    expect((await elsewhere.raw.get('/openapi.json')).body.servers).toEqual([{ url: 'https://other.test' }]);
  });

  test('has no fault that a linter knows', async () => {
    const { text } = await api.raw.get('/api/v2/openapi.json');
    const config = await createConfig({ extends: ['recommended-strict'], rules: { 'tag-description': 'off' } });
    const found = await lintFromString({ source: text, config });
    expect(found.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  test('is held against a linter that finds faults', async () => {
    const { body } = await api.raw.get('/api/v2/openapi.json');
    delete body.paths['/developer/webhooks/{id}'].get.parameters;
    const config = await createConfig({ extends: ['recommended-strict'] });
    const found = await lintFromString({ source: JSON.stringify(body), config });
    expect(found.map(({ ruleId }) => ruleId)).toContain('path-parameters-defined');
  });

  test('says of what is read and shown what the schemas say', async () => {
    const { body } = await api.raw.get('/api/v2/openapi.json');
    const { NewWebhook, Webhook, ShownWebhook } = body.components.schemas;
    expect(NewWebhook.required).toEqual(['name', 'uri']);
    expect(Object.keys(NewWebhook.properties).sort()).toEqual(
      ['name', 'payload', 'rate_limit', 'secret', 'signing', 'status', 'token', 'uri'].sort(),
    );
    expect([Webhook.properties.status.enum, ShownWebhook.properties.status.enum]).toEqual([
      ['1', '0'],
      [1, 0],
    ]);
  });
});

describe('the page', () => {
  test('has every operation with its example, and what each schema is', async () => {
    const { text, headers } = await api.raw.get('/docs');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    for (const { id, summary } of operations) {
      expect(text).toContain(`<section id="${id}">`);
      expect(text).toContain(summary);
    }
    expect(text).toContain('<h3 id="NewWebhook">NewWebhook</h3>');
    expect(text).toContain('curl -sS -X POST &#39;https://api.test/api/v2/developer/webhooks&#39;');
  });

  test('loads nothing, and has a policy that lets in its own style and nothing else', async () => {
    const { text, headers } = await api.raw.get('/docs');
    const [, style = ''] = /<style>([^]*?)<\/style>/.exec(text) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'";
    expect(headers['content-security-policy']).toBe(`${policy};style-src 'sha256-${hash}'`);
    expect(text).not.toMatch(/<(script|link|img|iframe)|\sstyle=|\son\w+=|url\(|@import/i);
    const other = await api.raw.get('/healthz');
    expect(other.headers['content-security-policy']).toBe(policy);
  });

  test('has the same policy where the base url is http: nothing asks a browser for https', async () => {
    const plain = await api.variant({ baseUrl: 'http://127.0.0.1:3000/api/v2' });
    const [{ headers, text }, secure] = [await plain.raw.get('/docs'), await api.raw.get('/docs')];
    expect(headers['content-security-policy']).toBe(secure.headers['content-security-policy']);
    expect(headers['content-security-policy']).not.toContain('upgrade-insecure-requests');
    expect(text).toContain('href="http://127.0.0.1:3000/api/v2/openapi.json"');
  });

  test('has links only to what is on it, and to the document', async () => {
    const { text } = await api.raw.get('/docs');
    const links = [...text.matchAll(/href="([^"]*)"/g)].map(([, target]) => target ?? '');
    expect(links.filter((link) => !link.startsWith('#'))).toEqual(['https://api.test/api/v2/openapi.json']);
    const anchors = links.filter((link) => link.startsWith('#'));
    expect(anchors.filter((link) => !text.includes(`id="${link.slice(1)}"`))).toEqual([]);
  });
});
