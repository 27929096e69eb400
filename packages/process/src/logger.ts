import { Writable } from 'node:stream';
import winston from 'winston';
import { printable } from './text.js';

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

// A signal that cannot be caught, such as SIGKILL, loses at most the lines of the last 10 ms.
const maxDelayMs = 10;
const maxCharacters = 65_536;

/**
 * Creates a stream that collects log lines for at most 10 ms or until there are 65,536 characters, and writes them to
 * stdout together. One system call for each line costs more CPU time than formatting the line. The stream writes the
 * remaining lines when the process exits.
 */
function createLogOutput(target: Pick<NodeJS.WriteStream, 'write'> = process.stdout): Writable {
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const text = lines;
    lines = '';
    if (text !== '') target.write(text);
  };
  process.on('exit', flush);
  return new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      lines += line;
      if (lines.length >= maxCharacters) flush();
      else timer ??= setTimeout(flush, maxDelayMs);
      done();
    },
    destroy(error, done) {
      process.off('exit', flush);
      flush();
      done(error);
    },
  });
}
