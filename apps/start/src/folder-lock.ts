import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { types } from 'node:util';
import { OperatorError } from '@ringback/runtime';
import { identifyProcess } from './process-identity.js';

/**
 * Acquires a lock file, so that only one process at a time uses its folder. Throws an OperatorError when a running
 * process has the lock. The lock of a process that has ended is replaced at once, even if another process now has the
 * id of that process. Returns a function that releases the lock.
 */
export function acquireFolderLock(path: string): () => void {
  const ownIdentity = `${process.pid} ${identifyProcess(process.pid)}`;
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, ownIdentity, { mode: 0o600 });
  try {
    while (!tryLink(draft, path)) {
      const holder = read(path);
      const pid = Number(holder?.split(' ')[0]);
      if (holder === `${pid} ${identifyProcess(pid)}`) {
        throw new OperatorError(
          `Ringback already runs in this folder, as process ${pid}; stop it first (Ctrl-C, or kill ${pid})`,
        );
      }
      if (holder !== undefined) removeStale(path, holder);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return () => {
    if (read(path) === ownIdentity) rmSync(path, { force: true });
  };
}

function tryLink(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (types.isNativeError(error) && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Removes a stale lock. If another process has replaced the lock in the meantime, puts the new lock back. */
function removeStale(path: string, stale: string): void {
  const moved = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, moved);
  } catch {
    return;
  }
  if (read(moved) !== stale) tryLink(moved, path);
  rmSync(moved, { force: true });
}
