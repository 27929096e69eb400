import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { startEmbeddedPostgres } from './index.js';
import { hasArgument, worksIn } from './serves-from.js';

// `worksIn` needs /proc, so this test needs Linux.
test.each(Object.entries({ worksIn, hasArgument }))(
  '%s tells a server of a data folder from other processes',
  async (_name, servesFrom) => {
    const folder = mkdtempSync(join(tmpdir(), 'ringback-serves-'));
    const postgres = await startEmbeddedPostgres({ folder, settings: { fsync: 'off' } });
    try {
      const data = join(folder, 'data');
      const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
      expect(servesFrom(pid, data)).toBe(true);
      expect(servesFrom(pid, `${data}2`)).toBe(false);
      expect(servesFrom(process.pid, data)).toBe(false);
      await postgres.stop();
      expect(servesFrom(pid, data)).toBe(false);
    } finally {
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
