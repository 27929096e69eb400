import { isIP } from 'node:net';
import { z } from 'zod';
import { parseAllowList } from '@ringback/callbacks';
import { parseProxyUrl } from './proxy-url.js';
import { parseRoles } from './roles.js';
import { parseSecretKeys } from './secret-keys.js';

const whole = (text: string) => /^\d+$/.test(text);
const count = (least: number, most: number) =>
  z
    .string()
    .refine(whole, `must be a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be a whole number from ${least} to ${most}`);
const decimal = (most: number) => {
  const rule = `must be a number from 0 to ${most}`;
  return z
    .string()
    .regex(/^\d*\.?\d+(e-?\d+)?$/i, rule)
    .transform(Number)
    .refine((value) => value >= 0 && value <= most, rule);
};
const flag = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');
// BullMQ's delays and the policy end here.
const longestWaitS = 100_000;

const url = (protocols: string[], example: string) =>
  z.string().refine((text) => {
    // A list of hosts is no url; its first host stands for all of them.
    const oneHost = text.replace(/,[^/]*/g, '');
    try {
      return protocols.includes(new URL(oneHost).protocol);
    } catch {
      return false;
    }
  }, `must look like ${example}`);

/** What `parse` reads from the text; what it throws is the complaint. */
const readBy = <T>(parse: (text: string) => T) =>
  z.string().transform((text, context) => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue(error instanceof Error ? error.message : String(error));
      return z.NEVER;
    }
  });

const baseUrl = 'https://example.com/api/v2';
// What page URLs are built from, and what Express mounts the API at: nothing in it may have a meaning of its own there.
const isPlain = (text: string) => /^[a-z]+:\/\/[^/?#@\s]+[\w\-./~]*$/i.test(text);

/** As OpenTelemetry has it: values are percent-encoded. */
function parseHeaders(text: string): Record<string, string> {
  try {
    return Object.fromEntries(text.split(',').map(parseHeader));
  } catch {
    throw new Error('must look like name=value,name=value, with values percent-encoded');
  }
}

function parseHeader(pair: string): [string, string] {
  const [, name, value] = /^\s*([\w-]+)=(.+)$/.exec(pair) ?? [];
  if (name === undefined || value === undefined) throw new Error('no header');
  return [name, decodeURIComponent(value.trim())];
}

const redisProtocols = ['redis', 'rediss', 'redis+sentinel', 'rediss+sentinel', 'redis+cluster', 'rediss+cluster'];

// Letters, digits and hyphens between dots.
const hostName = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;
const isHost = (text: string) => isIP(text) !== 0 || (text.length <= 253 && hostName.test(text));

/** Every environment variable that Ringback reads, with its rule and its default. `.env.example` lists the same. */
export const variables = {
  PORT: count(0, 65_535).default(3000),
  HOST: z.string().refine(isHost, 'must be an IP address or a host name, without a port').optional(),
  BASE_URL: url(['http:', 'https:'], baseUrl)
    .refine(isPlain, `must look like ${baseUrl}: a plain path, no user, no query, no fragment`)
    .optional(),
  DATABASE_URL: url(['postgres:', 'postgresql:'], 'postgresql://user:password@host:5432/database'),
  REDIS_URL: url(
    redisProtocols.map((name) => `${name}:`),
    'redis://host:6379',
  ).optional(),
  QUEUE_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,40}$/, 'must be lower-case letters, digits and _, starting with a letter')
    .default('ringback'),
  SECRETS_KEY: readBy(parseSecretKeys).default([]),
  CALLBACK_TIMEOUT_MS: count(1, 60_000).default(3_000),
  SMS_RETRIES: count(0, 100).default(3),
  SMS_RETRY_INTERVAL_S: count(0, longestWaitS).default(1_800),
  RCS_RETRIES: count(0, 100).default(2),
  RCS_RETRY_MAX_S: count(0, longestWaitS).default(100_000),
  RETRY_TIME_SCALE: decimal(1_000).default(1),
  HONOR_RETRY_AFTER: flag.default(false),
  PAUSE_FAILING_AFTER_DAYS: decimal(3_650).default(0),
  PAUSE_ON_410: flag.default(false),
  EGRESS_ALLOW: readBy(parseAllowList).prefault(''),
  EGRESS_PROXY: readBy(parseProxyUrl).optional(),
  API_RATE_LIMIT_PER_MINUTE: count(1, 1_000_000_000).default(1_000),
  API_CONCURRENCY_PER_ACCOUNT: count(1, 10_000).default(8),
  MAX_WEBHOOKS_PER_ACCOUNT: count(1, 1_000_000_000).default(10_000),
  WORKER_CONCURRENCY: count(1, 10_000).default(200),
  WORKER_ROLES: readBy(parseRoles).prefault('all'),
  RETENTION_DAYS: count(0, 36_500).default(30),
  HEALTH_PORT: count(0, 65_535).default(0),
  REQUIRE_VERIFICATION: flag.default(false),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(['http:', 'https:'], 'http://collector:4318').optional(),
  OTEL_EXPORTER_OTLP_HEADERS: readBy(parseHeaders).optional(),
  LOG_LEVEL: z.enum(['error', 'warn', 'info', 'debug'], 'must be error, warn, info or debug').default('info'),
  LOG_FORMAT: z.enum(['json', 'pretty'], 'must be json or pretty').default(process.stdout.isTTY ? 'pretty' : 'json'),
} as const;

export type VariableName = keyof typeof variables;
