import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { until } from '@ringback/testing';
import { readFromProc, readFromPs } from './process-identity.js';

const readers = [
  { name: '/proc', read: readFromProc, isAvailable: existsSync('/proc/self/stat') },
  { name: 'ps', read: readFromPs, isAvailable: spawnSync('ps').error === undefined },
];

test.each(readers.filter(({ isAvailable }) => isAvailable))(
  'with $name, a running process has an identity, and a zombie has none',
  async ({ read }) => {
    const own = read(process.pid);
    expect(own).toBeTruthy();
    expect(read(process.pid)).toBe(own);

    // The second `cat` replaces the shell, and never reads the exit code of the shell's child, the first `cat`. It
    // repeats its input, which shows that it has replaced the shell. The child must not end earlier: the shell would
    // read its exit code.
    const parent = spawn('sh', ['-c', 'cat <&3 & echo $!; exec cat'], { stdio: ['pipe', 'pipe', 'ignore', 'pipe'] });
    const [input, output] = [parent.stdin!, parent.stdout!];
    const childInput = parent.stdio[3] as Writable;
    try {
      const [line] = (await once(output, 'data')) as [Buffer];
      const zombie = Number(line.toString());
      input.write('running');
      await once(output, 'data');
      childInput.end();
      await until(() => read(zombie) === undefined, 'the zombie has no identity');
      // It still exists.
      process.kill(zombie, 0);
    } finally {
      parent.kill('SIGKILL');
    }
  },
);
