import { types } from 'node:util';
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
  const logger = winston.createLogger({
    level: options.level,
    format: options.format === 'json' ? jsonLine() : prettyLine(),
    transports: [new winston.transports.Stream({ stream: createLogOutput() })],
  });
  const { service } = options;
  // winston formats a line before it asks whether its level is shown.
  const at = (level: keyof Logger): Logger[typeof level] =>
    logger.isLevelEnabled(level)
      ? (message, fields) =>
          logger.log({ timestamp: new Date().toISOString(), ...fields, level, message, service } as winston.LogEntry)
      : () => undefined;
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
}

// The text of a line, for winston's transports.
const messageKey = Symbol.for('message');

// winston's own `json` sorts the fields and looks for cycles, which takes twice as long.
const jsonLine = winston.format((line) => {
  line[messageKey] = JSON.stringify(line);
  return line;
});

const prettyLine = winston.format((line) => {
  const { timestamp, level, message, service: _service, ...fields } = line;
  const text = Object.entries(fields).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  line[messageKey] = printable([String(timestamp).slice(11, 23), level.padEnd(5), message, ...text].join(' '));
  return line;
});

/**
 * An error's message and code as fields of a log line. An AggregateError without a message has that of its first error.
 */
export function errorFields(error: unknown): { error: string; code?: string } {
  // An error of another realm, as in a test, is no instance.
  if (!(error instanceof Error || types.isNativeError(error))) return { error: String(error) };
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
