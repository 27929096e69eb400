import { addressVariables, readAddressSettings, readConfig } from '@ringback/process';

const names = [
  'PORT',
  'HOST',
  ...addressVariables,
  'KEEP_ALIVE_TIMEOUT_S',
  'DATABASE_URL',
  'DATABASE_SCHEMA',
  'REDIS_URL',
  'QUEUE_PREFIX',
  'SECRETS_KEYS',
  'EGRESS_ALLOWED_CIDRS',
  'NAT64_PREFIXES',
  'CALLBACK_TIMEOUT_MS',
  'API_RATE_LIMIT_PER_MINUTE',
  'API_CONCURRENCY_PER_ACCOUNT',
  'MAX_WEBHOOKS_PER_ACCOUNT',
  'PRODUCT_NAME',
  'HEADER_PREFIX',
  'PORTAL_THEME',
  'PORTAL_FRAME_ANCESTORS',
  'PORTAL_LOGO_ORIGINS',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'LOG_LEVEL',
  'LOG_FORMAT',
] as const;

/** Reads the settings of the API. Throws a ConfigError that names the first invalid variable. */
export function readApiConfig(env: NodeJS.ProcessEnv) {
  const read = readConfig(env, names);
  return {
    port: read.PORT,
    /** The address to listen on; all interfaces when absent. */
    host: read.HOST,
    ...readAddressSettings(read),
    /** How long an idle connection of a client stays open. */
    keepAliveMs: read.KEEP_ALIVE_TIMEOUT_S * 1_000,
    databaseUrl: read.DATABASE_URL,
    databaseSchema: read.DATABASE_SCHEMA,
    redisUrl: read.REDIS_URL,
    queuePrefix: read.QUEUE_PREFIX,
    secretKeys: read.SECRETS_KEYS,
    egressAllowList: read.EGRESS_ALLOWED_CIDRS.withNat64Prefixes(read.NAT64_PREFIXES),
    callbackTimeoutMs: read.CALLBACK_TIMEOUT_MS,
    rateLimitPerMinute: read.API_RATE_LIMIT_PER_MINUTE,
    concurrencyPerAccount: read.API_CONCURRENCY_PER_ACCOUNT,
    maxWebhooksPerAccount: read.MAX_WEBHOOKS_PER_ACCOUNT,
    /** The names that customers see. */
    names: { productName: read.PRODUCT_NAME, headerPrefix: read.HEADER_PREFIX },
    /** The look of the portal where a session's own theme says nothing. */
    theme: read.PORTAL_THEME,
    /** The origins whose pages may show the portal in a frame. */
    frameAncestors: read.PORTAL_FRAME_ANCESTORS,
    /** The origins, besides its own, from which the portal may load logos. */
    logoOrigins: read.PORTAL_LOGO_ORIGINS,
    /** The OpenTelemetry collector. Without an endpoint, nothing is traced. */
    otlp: { endpoint: read.OTEL_EXPORTER_OTLP_ENDPOINT, headers: read.OTEL_EXPORTER_OTLP_HEADERS },
    logLevel: read.LOG_LEVEL,
    logFormat: read.LOG_FORMAT,
  };
}
