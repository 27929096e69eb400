import { Consumer, openQueueEngine, openQueues, verificationQueue } from '@ringback/queue';
import { announceReady, createLogger, runProcess } from '@ringback/process';
import { QueueWatch } from './queue-watch.js';

/** A process with a fast watch. It consumes through one address of Redis and reads the queue through another. */
runProcess(
  async (onStop, fail) => {
    const [consumerRedisUrl = '', counterRedisUrl = ''] = process.argv.slice(2);
    const log = createLogger({ service: 'watched', level: 'info', format: 'json' });
    const engine = openQueueEngine({ redisUrl: consumerRedisUrl, databaseUrl: '', prefix: 'test' });
    onStop('queue engine', () => engine.close());
    const queues = openQueues({ redisUrl: counterRedisUrl, databaseUrl: '', prefix: 'test', onError: () => undefined });
    onStop('queues', () => queues.close());
    const handler = {
      handle: async () => {
        log.info('job.taken');
        return { type: 'complete' as const };
      },
      giveUp: () => Promise.resolve(),
    };
    const consumer = new Consumer({ engine, log }, verificationQueue, { concurrency: 1, handler });
    const readHealth: typeof queues.readHealth = (queue) => {
      log.info('queue.checked');
      return queues.readHealth(queue);
    };
    const deps = { queues: { readHealth }, consumers: [consumer], log, fail };
    const watch = new QueueWatch(deps, { everyMs: 200, stuckAfterMs: 1_000 });
    onStop('watch', () => watch.stop());
    announceReady();
  },
  { stopWithinMs: () => 5_000 },
);
