import { isIP } from 'node:net';
import { z } from 'zod';
import {
  defaultCallbackTimeoutMs,
  defaultHeaderPrefix,
  defaultProductName,
  defaultRetrySettings,
  defaultUserAgent,
  isHeaderPrefix,
  maxRetryWaitSeconds,
  parseAllowList,
  parseCallbackHeaders,
  parseNat64Prefixes,
  parsePortalTheme,
  parseUrl,
} from '@ringback/rules';
import {
  parseApiPath,
  parseBaseUrl,
  parseHeaders,
  parseOrigins,
  parseProxyExceptions,
  parseProxyUrl,
  parsePublicUrl,
  parseRoles,
  parseSecretKeys,
} from './variable-parsers.js';

const isWhole = (text: string) => /^\d+$/.test(text);
const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .refine(isWhole, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`);
const decimal = (max: number) => {
  const rule = `must be a number from 0 to ${max}`;
  return z
    .string()
    .regex(/^\d*\.?\d+(e-?\d+)?$/i, rule)
    .transform(Number)
    .refine((value) => value >= 0 && value <= max, rule);
};
const flag = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');

const url = (protocols: string[], example: string) =>
  z.string().refine((text) => {
    // `new URL` refuses a list of hosts, so only the first host is checked.
    const firstHost = text.replace(/,[^/]*/g, '');
    return protocols.includes(parseUrl(firstHost)?.protocol ?? '');
  }, `must look like ${example}`);

/**
 * A schema that parses text with a function. If the function throws, its error's message becomes the schema's message.
 */
const parsedBy = <T>(parse: (text: string) => T) =>
  z.string().transform((text, context) => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue(error instanceof Error ? error.message : String(error));
      return z.NEVER;
    }
  });

// Labels of letters, digits and hyphens, separated by dots.
const hostName = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;
const isHost = (text: string) => isIP(text) !== 0 || (text.length <= 253 && hostName.test(text));

const addresses = {
  PORT: wholeNumber(0, 65_535).default(3000),
  HOST: z.string().refine(isHost, 'must be an IP address or a host name, without a port').optional(),
  HEALTH_PORT: wholeNumber(0, 65_535).default(0),
  PUBLIC_URL: parsedBy(parsePublicUrl).optional(),
  API_PATH: parsedBy(parseApiPath).optional(),
  BASE_URL: parsedBy(parseBaseUrl).optional(),
  KEEP_ALIVE_TIMEOUT_S: wholeNumber(1, 86_400).default(620),
};

const schemaNameRule =
  'must be the name of a schema: at most 63 lower-case letters, digits and _, starting with a letter or _, not with pg_';
const redisProtocols = ['redis', 'rediss', 'redis+sentinel', 'rediss+sentinel', 'redis+cluster', 'rediss+cluster'];

const storage = {
  DATABASE_URL: url(['postgres:', 'postgresql:'], 'postgresql://user:password@host:5432/database'),
  DATABASE_SCHEMA: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,62}$/, schemaNameRule)
    // Not in the pattern: Helm's schemas know no look-ahead.
    .refine((name) => !name.startsWith('pg_'), schemaNameRule)
    .default('public'),
  REDIS_URL: url(
    redisProtocols.map((name) => `${name}:`),
    'redis://host:6379',
  ).optional(),
  QUEUE_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,40}$/, 'must be lower-case letters, digits and _, starting with a letter')
    .default('ringback'),
  BRIDGE_URL: url(
    ['amqp:', 'amqps:', 'kafka:', 'kafka+ssl:'],
    'amqp://user:password@host:5672/vhost or kafka://host:9092,host:9092',
  ).optional(),
  SECRETS_KEYS: parsedBy(parseSecretKeys).default([]),
  RETENTION_DAYS: wholeNumber(0, 36_500).default(30),
};

/** The hint of the warning with which a process starts that has no `SECRETS_KEYS`. */
export const unencryptedSecretsWarning =
  'SECRETS_KEYS is not set: secrets of webhooks and accounts are stored unencrypted';

const callbacks = {
  CALLBACK_TIMEOUT_MS: wholeNumber(1, 60_000).default(defaultCallbackTimeoutMs),
  SMS_RETRIES: wholeNumber(0, 100).default(defaultRetrySettings.smsRetries),
  SMS_RETRY_INTERVAL_S: wholeNumber(0, maxRetryWaitSeconds).default(defaultRetrySettings.smsRetryIntervalSeconds),
  RCS_RETRIES: wholeNumber(0, 100).default(defaultRetrySettings.rcsRetries),
  RCS_RETRY_MAX_S: wholeNumber(0, maxRetryWaitSeconds).default(defaultRetrySettings.rcsMaxRetryDelaySeconds),
  RETRY_TIME_SCALE: decimal(1_000).default(defaultRetrySettings.timeScale),
  HONOR_RETRY_AFTER: flag.default(defaultRetrySettings.honorRetryAfter),
  PAUSE_FAILING_AFTER_DAYS: decimal(3_650).default(0),
  PAUSE_ON_410: flag.default(false),
  REQUIRE_VERIFICATION: flag.default(false),
};

const headerPrefixRule =
  'must be words with a hyphen after each, such as X-Acme-, and no beginning of a standard header';
// Neither markup nor a control character: the name stands in pages, messages and headers.
const isProductName = (text: string) => text === text.trim() && /^[^\p{C}<>"`{}\\]{1,60}$/u.test(text);

const names = {
  PRODUCT_NAME: z
    .string()
    .refine(isProductName, 'must be 1 to 60 characters, with none of < > " ` { } \\ and no space around')
    .default(defaultProductName),
  HEADER_PREFIX: z.string().refine(isHeaderPrefix, headerPrefixRule).default(defaultHeaderPrefix),
  USER_AGENT: z
    .string()
    .regex(/^[!-~]([ -~]{0,198}[!-~])?$/, 'must be 1 to 200 printable ASCII characters, with no space around')
    .default(defaultUserAgent),
  CALLBACK_HEADERS: parsedBy(parseCallbackHeaders).optional(),
  PORTAL_THEME: parsedBy(parsePortalTheme).optional(),
};

const egress = {
  EGRESS_ALLOWED_CIDRS: parsedBy(parseAllowList).prefault(''),
  NAT64_PREFIXES: parsedBy(parseNat64Prefixes).prefault(''),
  EGRESS_PROXY: parsedBy(parseProxyUrl).optional(),
  EGRESS_PROXY_EXCEPT: parsedBy(parseProxyExceptions).optional(),
  EGRESS_PROXY_HTTP: z.enum(['forward', 'tunnel'], 'must be forward or tunnel').default('forward'),
  EGRESS_PROXY_PROBE: flag.default(true),
};

const limits = {
  API_RATE_LIMIT_PER_MINUTE: wholeNumber(1, 1_000_000_000).default(1_000),
  API_CONCURRENCY_PER_ACCOUNT: wholeNumber(1, 10_000).default(8),
  MAX_WEBHOOKS_PER_ACCOUNT: wholeNumber(1, 1_000_000_000).default(10_000),
};

const portal = {
  PORTAL_FRAME_ANCESTORS: parsedBy(parseOrigins).prefault(''),
  PORTAL_LOGO_ORIGINS: parsedBy(parseOrigins).prefault(''),
};

const workers = {
  DELIVERY: z.enum(['on', 'off'], 'must be on or off').default('on'),
  WORKER_CONCURRENCY: wholeNumber(1, 10_000).default(200),
  WORKER_ROLES: parsedBy(parseRoles).prefault('all'),
};

const observability = {
  LOG_LEVEL: z.enum(['error', 'warn', 'info', 'debug'], 'must be error, warn, info or debug').default('info'),
  LOG_FORMAT: z.enum(['json', 'pretty'], 'must be json or pretty').default(process.stdout.isTTY ? 'pretty' : 'json'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(['http:', 'https:'], 'http://collector:4318').optional(),
  OTEL_EXPORTER_OTLP_HEADERS: parsedBy(parseHeaders).optional(),
};

/** The schemas of all environment variables, with their defaults. `.env.example` lists and explains the same. */
export const variables = {
  ...addresses,
  ...storage,
  ...callbacks,
  ...names,
  ...egress,
  ...limits,
  ...portal,
  ...workers,
  ...observability,
} as const;

export type VariableName = keyof typeof variables;
