import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isProcessAlive } from '@ringback/process';

/**
 * Creates a temporary folder with the id of this process in its name. It also removes folders with the same name whose
 * process has ended, because a killed process leaves its folder behind.
 */
export function createTemporaryFolder(name: string): string {
  const pattern = new RegExp(`^${name}-(\\d+)-\\w{6}$`);
  for (const folder of readdirSync(tmpdir())) {
    const [, owner] = pattern.exec(folder) ?? [];
    if (owner === undefined || isProcessAlive(Number(owner))) continue;
    try {
      rmSync(join(tmpdir(), folder), { recursive: true, force: true });
    } catch {
      // The folder belongs to another user or is in use.
    }
  }
  return mkdtempSync(join(tmpdir(), `${name}-${process.pid}-`));
}
