import { existsSync } from 'node:fs';
import type { Scenario } from '../scenario.js';

const library = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketime.so.1`;

/** A worker with a wrong clock would make retries at the wrong time, so it does not start. */
export const clockOff: Scenario = {
  name: 'clock-off',
  title: 'a worker whose clock differs by 10 minutes does not start; another worker delivers',
  backends: ['redis', 'postgres'],
  skipReason: () => (existsSync(library) ? undefined : 'faketime is not installed'),
  async run(context) {
    for (const [offset, word] of [
      ['+600', 'ahead of'],
      ['-600', 'behind'],
    ] as const) {
      const started = context.startWorker({ LD_PRELOAD: library, FAKETIME: `${offset}s` });
      const message = await started.then(
        () => 'it started',
        (error: Error) => error.message,
      );
      const isRefused =
        message.includes(`ended with 1 `) && new RegExp(`is (599|60[01]) s ${word} the database's`).test(message);
      context.require(isRefused, `a worker whose clock is ${offset} s off: ${message}`);
      if (isRefused) context.recordFault(`a worker whose clock is 600 s ${word} the database's did not start`);
    }
    await context.startWorker();
    context.recorder.behave(({ attempt }) => ({ status: attempt === 1 ? 500 : 200 }));
    const load = context.createLoad();
    await load.push(50);
    await context.settle(load);
  },
};
