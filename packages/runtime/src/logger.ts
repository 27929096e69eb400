import winston from 'winston';
import { createLogOutput } from './log-output.js';
import { printable } from './printable.js';

/** Logs an event name and fields: `log.info('delivery.attempted', { delivery_id })`. */
export type Logger = Record<'error' | 'warn' | 'info' | 'debug', (message: string, fields?: object) => unknown>;

/**
 * Creates the logger of a process, which writes one line per event to stdout, as JSON or in a readable format. Never
 * pass it a secret, a token, the query of a URI or a body.
 */
export function createLogger(options: { service: string; level: string; format: 'json' | 'pretty' }): Logger {
  const { combine, timestamp, json, printf } = winston.format;
  const pretty = printf(({ timestamp: time, level, message, service: _service, ...fields }) => {
    const text = Object.entries(fields).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
    return printable([String(time).slice(11, 23), level.padEnd(5), message, ...text].join(' '));
  });
  return winston.createLogger({
    level: options.level,
    defaultMeta: { service: options.service },
    format: combine(timestamp(), options.format === 'json' ? json() : pretty),
    transports: [new winston.transports.Stream({ stream: createLogOutput() })],
  });
}

/**
 * An error's message and code as fields of a log line. An AggregateError without a message has that of its first error.
 */
export function errorFields(error: unknown): { error: string; code?: string } {
  if (!(error instanceof Error)) return { error: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const nested = error instanceof AggregateError && error.message === '' ? error.errors[0] : undefined;
  return { error: nested instanceof Error ? nested.message : error.message, ...code };
}
