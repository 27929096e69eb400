import { expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTemporaryFolder } from './temporary-folder.js';

test('the folders of killed processes are removed, and no others', () => {
  const name = `ringback-left-${process.pid}`;
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const createFolder = (folder: string) => {
    const path = join(tmpdir(), folder);
    mkdirSync(path);
    writeFileSync(join(path, 'file'), '');
    return path;
  };
  const [dead, alive, another] = [`${name}-${pid}-aaaaaa`, `${name}-${process.pid}-aaaaaa`, `${name}-logs-aaaaaa`].map(
    createFolder,
  );
  const own = createTemporaryFolder(name);
  expect([dead, alive, another, own].map((path) => existsSync(path!))).toEqual([false, true, true, true]);
  for (const path of [alive, another, own]) rmSync(path!, { recursive: true });
});
