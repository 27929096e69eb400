import { openQueueEngine, openQueues, verificationQueue } from '@ringback/queue';
import { announceReady, createLogger, runProcess } from '@ringback/process';
import { startConsumer } from './consumer.js';
import { createJobIsolation } from './job-isolation.js';
import { startWatchdog } from './watchdog.js';

/**
 * A process with a fast watchdog. It consumes through one address of Redis and counts waiting jobs through another.
 */
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
      deadLetter: () => Promise.resolve(),
    };
    const deps = { engine, log, jobIsolation: createJobIsolation() };
    const consumer = startConsumer(deps, verificationQueue, { concurrency: 1, handler });
    const watched = { queues, consumers: [consumer], log, fail };
    const watchdog = startWatchdog(watched, { everyMs: 200, stuckAfterMs: 1_000 });
    onStop('watchdog', () => watchdog.stop());
    announceReady();
  },
  { stopWithinMs: () => 5_000 },
);
