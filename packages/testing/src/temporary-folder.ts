import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A folder among the temporary ones that carries this process's id. Those of the same name whose process is gone,
 * killed before it could tidy up, are removed.
 */
export function makeTemporaryFolder(name: string): string {
  const owned = new RegExp(`^${name}-(\\d+)-\\w{6}$`);
  for (const folder of readdirSync(tmpdir())) {
    const [, owner] = owned.exec(folder) ?? [];
    if (owner === undefined || isAlive(Number(owner))) continue;
    try {
      rmSync(join(tmpdir(), folder), { recursive: true, force: true });
    } catch {
      // Another user's, or in use after all.
    }
  }
  return mkdtempSync(join(tmpdir(), `${name}-${process.pid}-`));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
