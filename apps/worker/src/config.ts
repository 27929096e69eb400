import type { RetrySettings } from '@ringback/callbacks';
import { readConfig } from '@ringback/runtime';

const names = [
  'DATABASE_URL',
  'REDIS_URL',
  'QUEUE_PREFIX',
  'SECRETS_KEY',
  'CALLBACK_TIMEOUT_MS',
  'SMS_RETRIES',
  'SMS_RETRY_INTERVAL_S',
  'RCS_RETRIES',
  'RCS_RETRY_MAX_S',
  'RETRY_TIME_SCALE',
  'HONOR_RETRY_AFTER',
  'PAUSE_FAILING_AFTER_DAYS',
  'PAUSE_ON_410',
  'EGRESS_ALLOW',
  'EGRESS_PROXY',
  'WORKER_CONCURRENCY',
  'WORKER_ROLES',
  'REQUIRE_VERIFICATION',
  'RETENTION_DAYS',
  'HEALTH_PORT',
  'HOST',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'LOG_LEVEL',
  'LOG_FORMAT',
] as const;

export type WorkerConfig = ReturnType<typeof readWorkerConfig>;

/** Reads the worker's settings. Throws a ConfigError that names the first invalid variable. */
export function readWorkerConfig(env: NodeJS.ProcessEnv) {
  const read = readConfig(env, names);
  const retries: RetrySettings = {
    smsRetries: read.SMS_RETRIES,
    smsRetryIntervalSeconds: read.SMS_RETRY_INTERVAL_S,
    rcsRetries: read.RCS_RETRIES,
    rcsMaxRetryDelaySeconds: read.RCS_RETRY_MAX_S,
    timeScale: read.RETRY_TIME_SCALE,
    honorRetryAfter: read.HONOR_RETRY_AFTER,
  };
  return {
    databaseUrl: read.DATABASE_URL,
    redisUrl: read.REDIS_URL,
    queuePrefix: read.QUEUE_PREFIX,
    secretKeys: read.SECRETS_KEY,
    timeoutMs: read.CALLBACK_TIMEOUT_MS,
    retries,
    /** When a failing webhook is paused. It stays paused until it is released. */
    pausing: { failingAfterDays: read.PAUSE_FAILING_AFTER_DAYS, pauseOnGone: read.PAUSE_ON_410 },
    proxy: read.EGRESS_PROXY,
    allow: read.EGRESS_ALLOW,
    concurrency: read.WORKER_CONCURRENCY,
    roles: read.WORKER_ROLES,
    requireVerification: read.REQUIRE_VERIFICATION,
    retentionDays: read.RETENTION_DAYS,
    healthPort: read.HEALTH_PORT,
    /** The address on which the health port listens; all interfaces when absent. */
    host: read.HOST,
    /** Where traces are sent; tracing is off when `endpoint` is absent. */
    otlp: { endpoint: read.OTEL_EXPORTER_OTLP_ENDPOINT, headers: read.OTEL_EXPORTER_OTLP_HEADERS },
    logLevel: read.LOG_LEVEL,
    logFormat: read.LOG_FORMAT,
  };
}
