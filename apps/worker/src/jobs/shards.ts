import type { QueueName, Queues, ShardName } from '@ringback/queue';
import { type Consumer, type ConsumerDeps, consume, type Handler } from './consumers.js';
import { idOf } from './job-data.js';

export type ShardDeps = ConsumerDeps & { queues: Pick<Queues, 'shardsOf' | 'moveHome'> };

export type ShardedWork = { queue: QueueName; concurrency: number; handler: Handler };

/**
 * The consumers of all shards of the queues, those included that another QUEUE_SHARDS left behind with jobs. The shards
 * of a queue share its concurrency evenly, as ids spread deliveries over them evenly.
 */
export async function consumeShards(deps: ShardDeps, works: ShardedWork[]): Promise<Consumer[]> {
  const shards = await Promise.all(works.map(({ queue }) => deps.queues.shardsOf(queue)));
  return works.flatMap(({ concurrency, handler }, index) => {
    const mine = shards[index] ?? [];
    const share = Math.ceil(concurrency / mine.length);
    return mine.map((shard) => consume(deps, shard, { concurrency: share, handler: atHome(deps, shard, handler) }));
  });
}

/** A delivery whose job is in a shard where it does not belong is not called from there: it gets one where it does. */
function atHome({ queues }: ShardDeps, shard: ShardName, handler: Handler): Handler {
  return {
    ...handler,
    async handle(job) {
      // A job has a priority once an attempt has failed.
      const delivery = { id: idOf(job.data, 'deliveryId'), attempts: job.priority ? 1 : 0 };
      if ((await queues.moveHome(shard, delivery)) === 'moved') return { type: 'done' };
      return handler.handle(job);
    },
  };
}
