import { describe, expect, test } from '@jest/globals';
import { readApiConfig } from './config.js';

const required = { DATABASE_URL: 'postgresql://user@host/db' };

describe('the settings of the API', () => {
  test('have the documented defaults', () => {
    expect(readApiConfig({ ...required, LOG_FORMAT: 'json' })).toMatchObject({
      port: 3000,
      publicUrl: undefined,
      apiPath: '/api/v2',
      keepAliveMs: 620_000,
      redisUrl: undefined,
      queuePrefix: 'ringback',
      egressAllowList: { isEmpty: true },
      rateLimitPerMinute: 1000,
      concurrencyPerAccount: 8,
      maxWebhooksPerAccount: 10_000,
      logLevel: 'info',
    });
  });

  test.each([
    ['PORT', '70000'],
    ['PORT', 'x'],
    ['KEEP_ALIVE_TIMEOUT_S', '0'],
    ['KEEP_ALIVE_TIMEOUT_S', '86401'],
    ['KEEP_ALIVE_TIMEOUT_S', '65 s'],
    ['PRODUCT_NAME', '<b>'],
    ['PRODUCT_NAME', ' Acme'],
    ['PRODUCT_NAME', 'a'.repeat(61)],
    ['HEADER_PREFIX', 'X-Acme'],
    ['HEADER_PREFIX', 'Content-'],
    ['HEADER_PREFIX', 'X Acme-'],
    ['PORTAL_THEME', 'blue'],
    ['PORTAL_THEME', '{"accent":"blue"}'],
    ['PORTAL_THEME', '{"logo":"https://a.example/"}'],
    ['PORTAL_FRAME_ANCESTORS', 'https://a.example/path'],
    ['PORTAL_LOGO_ORIGINS', 'https:'],
    ['DATABASE_URL', 'mysql://host/db'],
    ['DATABASE_URL', ''],
    ['REDIS_URL', 'http://host'],
    ['EGRESS_ALLOWED_CIDRS', '10.0.0.0/99'],
    ['API_RATE_LIMIT_PER_MINUTE', '0'],
    ['API_CONCURRENCY_PER_ACCOUNT', '0'],
    ['MAX_WEBHOOKS_PER_ACCOUNT', '-1'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'x'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=b,c=%'],
    ['LOG_LEVEL', 'loud'],
  ])('with %s=%s are refused in one line that names it', (name, value) => {
    expect(() => readApiConfig({ ...required, [name]: value })).toThrow(new RegExp(`^${name} [^\\n]+$`));
  });
});
