import { readFileSync } from 'node:fs';
import type { RetrySettings } from '@ringback/rules';
import { namingVariables, readConfig, readNaming } from '@ringback/process';

const variableNames = [
  'DATABASE_URL',
  'DATABASE_SCHEMA',
  'REDIS_URL',
  'QUEUE_PREFIX',
  'SECRETS_KEYS',
  'CALLBACK_TIMEOUT_MS',
  'SMS_RETRIES',
  'SMS_RETRY_INTERVAL_S',
  'RCS_RETRIES',
  'RCS_RETRY_MAX_S',
  'RETRY_TIME_SCALE',
  'HONOR_RETRY_AFTER',
  'PAUSE_FAILING_AFTER_DAYS',
  'PAUSE_ON_410',
  'EGRESS_ALLOWED_CIDRS',
  'NAT64_PREFIXES',
  'EGRESS_PROXY',
  'EGRESS_PROXY_EXCEPT',
  'EGRESS_PROXY_HTTP',
  'EGRESS_PROXY_PROBE',
  'WORKER_CONCURRENCY',
  'WORKER_ROLES',
  'DELIVERY',
  'REQUIRE_VERIFICATION',
  ...namingVariables,
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
  const settings = readConfig(env, variableNames);
  const retrySettings: RetrySettings = {
    smsRetries: settings.SMS_RETRIES,
    smsRetryIntervalSeconds: settings.SMS_RETRY_INTERVAL_S,
    rcsRetries: settings.RCS_RETRIES,
    rcsMaxRetryDelaySeconds: settings.RCS_RETRY_MAX_S,
    timeScale: settings.RETRY_TIME_SCALE,
    honorRetryAfter: settings.HONOR_RETRY_AFTER,
  };
  return {
    databaseUrl: settings.DATABASE_URL,
    databaseSchema: settings.DATABASE_SCHEMA,
    redisUrl: settings.REDIS_URL,
    queuePrefix: settings.QUEUE_PREFIX,
    secretKeys: settings.SECRETS_KEYS,
    callbackTimeoutMs: settings.CALLBACK_TIMEOUT_MS,
    /** The names that receivers see. */
    naming: readNaming(settings),
    retries: retrySettings,
    /** When Ringback pauses a webhook: it has failed for that many days (0: never), or it responded with 410. */
    autoPauseRules: { failingAfterDays: settings.PAUSE_FAILING_AFTER_DAYS, pauseOnGone: settings.PAUSE_ON_410 },
    egressProxy: settings.EGRESS_PROXY && {
      url: settings.EGRESS_PROXY,
      http: settings.EGRESS_PROXY_HTTP,
      isExcepted: settings.EGRESS_PROXY_EXCEPT ?? (() => false),
    },
    /** Whether a worker asks the proxy at its start whether it refuses private addresses. */
    probesEgressProxy: settings.EGRESS_PROXY_PROBE,
    egressAllowList: settings.EGRESS_ALLOWED_CIDRS.withNat64Prefixes(settings.NAT64_PREFIXES),
    operatorCa: readOperatorCa(env['NODE_EXTRA_CA_CERTS']),
    concurrency: settings.WORKER_CONCURRENCY,
    roles: settings.WORKER_ROLES,
    /** Deliveries are skipped instead of sent. */
    isDeliveryOff: settings.DELIVERY === 'off',
    requireVerification: settings.REQUIRE_VERIFICATION,
    retentionDays: settings.RETENTION_DAYS,
    healthPort: settings.HEALTH_PORT,
    /** The address on which the health port listens; all interfaces when absent. */
    healthHost: settings.HOST,
    /** Where traces are sent; tracing is off when `endpoint` is absent. */
    otlp: { endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT, headers: settings.OTEL_EXPORTER_OTLP_HEADERS },
    logLevel: settings.LOG_LEVEL,
    logFormat: settings.LOG_FORMAT,
  };
}

/**
 * The operator's own CA certificates, which Node trusts too. Null without any; of a file that it can't read, Node
 * warns.
 */
function readOperatorCa(file: string | undefined): string | null {
  if (!file) return null;
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
