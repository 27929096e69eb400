import { Consumer, type ConsumerOptions } from './consumer.js';
import type { QueueEngine } from './engine.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test knows the data that it pushed
type Take = (job: { name: string; data: any }) => Promise<unknown>;
type Options = ConsumerOptions['settings'] & { concurrency?: number; onError?: (error: Error) => void };

/** Starts a consumer that gives each job to `take`. What it logs as an error goes to `onError`. */
export function consume(
  engine: QueueEngine,
  queue: string,
  take: Take,
  { concurrency = 1, onError = () => undefined, ...settings }: Options = {},
): Consumer {
  const ignore = () => undefined;
  const error = (event: string, fields: object = {}) =>
    onError(Object.assign(new Error(String(Reflect.get(fields, 'error') ?? event)), fields));
  const handler = {
    async handle(job: { name: string; data: unknown }) {
      await take(job);
      return { type: 'complete' as const };
    },
    giveUp: (job: { name: string; data: unknown }, reason: string) => take({ ...job, data: { reason } }).then(ignore),
  };
  const log = { error, warn: ignore, info: ignore, debug: ignore };
  return new Consumer({ engine, log }, queue, { concurrency, handler, settings });
}
