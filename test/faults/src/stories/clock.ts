import { existsSync } from 'node:fs';
import type { Story } from '../story.js';

const library = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketime.so.1`;

/** A worker whose clock is off would make retries early or late: it does not start. */
export const clockOff: Story = {
  name: 'clock-off',
  title: 'a worker whose clock differs by 10 minutes does not start, and another delivers',
  backends: ['redis', 'postgres'],
  obstacle: () => (existsSync(library) ? undefined : 'faketime is not installed'),
  async play(stage) {
    for (const [offset, word] of [
      ['+600', 'ahead of'],
      ['-600', 'behind'],
    ] as const) {
      const started = stage.startWorker({ LD_PRELOAD: library, FAKETIME: `${offset}s` });
      const said = await started.then(
        () => 'it started',
        (error: Error) => error.message,
      );
      const isRight =
        said.includes(`ended with 1 `) && new RegExp(`is (599|60[01]) s ${word} the database's`).test(said);
      stage.require(isRight, `a worker whose clock is ${offset} s off: ${said}`);
      if (isRight) stage.recordFault(`a clock ${word} by 600 s was refused`);
    }
    await stage.startWorker();
    stage.recorder.behave(({ attempt }) => ({ status: attempt === 1 ? 500 : 200 }));
    const load = stage.openLoad();
    await load.push(50);
    await stage.settle(load);
  },
};
