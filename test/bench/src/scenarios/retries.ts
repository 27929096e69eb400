import { awaitArrival } from '../arrival.js';
import { pushBurst, toWebhooks } from '../load.js';
import type { BenchOptions } from '../options.js';
import type { Result } from '../result.js';
import { startStack } from '../stack.js';
import { measureBurst } from './throughput.js';

// SMS is retried after 0.9 s, RCS after 5 ms.
const env = { RETRY_TIME_SCALE: '0.0005' };

/** Compares a healthy receiver with one that fails every first attempt. */
export async function retries(options: BenchOptions): Promise<Result> {
  const stack = await startStack({ ...options, env });
  try {
    const target = toWebhooks(stack.queues, await stack.addWebhooks('retries', 100));
    options.setStep('warming up');
    await awaitArrival(stack, await pushBurst(target, 2_000));
    const run = async (fail: 'none' | 'first', callsEach: number) => {
      stack.receiver.behave({ fail });
      const { row, perSecond } = await measureBurst(stack, target, options);
      const { calls } = await stack.receiver.count();
      const unexpected = calls - options.events * callsEach;
      return { perSecond, row: { ...row, ...(unexpected === 0 ? {} : { 'unexpected calls': unexpected }) } };
    };
    const healthy = await run('none', 1);
    const failing = await run('first', 2);
    return {
      scenario: 'retries',
      title: `Retries: ${options.events} events, each delivered once`,
      rows: [
        { receiver: 'healthy', ratio: 1, 'calls/s': healthy.perSecond, ...healthy.row },
        {
          receiver: 'fails every first attempt',
          ratio: failing.perSecond / healthy.perSecond,
          'calls/s': failing.perSecond * 2,
          ...failing.row,
        },
      ],
    };
  } finally {
    await stack.stop();
  }
}
