import { expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTemporaryFolder } from './temporary-folder.js';

test('what a process left behind that was killed is removed, and nothing else', () => {
  const name = `ringback-left-${process.pid}`;
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const leave = (folder: string) => {
    const path = join(tmpdir(), folder);
    mkdirSync(path);
    writeFileSync(join(path, 'file'), '');
    return path;
  };
  const [dead, alive, another] = [`${name}-${pid}-aaaaaa`, `${name}-${process.pid}-aaaaaa`, `${name}-logs-aaaaaa`].map(
    leave,
  );
  const mine = makeTemporaryFolder(name);
  expect([dead, alive, another, mine].map((path) => existsSync(path!))).toEqual([false, true, true, true]);
  for (const path of [alive, another, mine]) rmSync(path!, { recursive: true });
});
