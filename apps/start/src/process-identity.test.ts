import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
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

    // `sleep 60` inherits the child of the shell, and never reads its exit code.
    const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const zombie = Number(line.toString());
      await until(() => read(zombie) === undefined, 'the zombie has no identity');
      // It still exists.
      process.kill(zombie, 0);
    } finally {
      parent.kill('SIGKILL');
    }
  },
);
