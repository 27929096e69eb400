import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { types } from 'node:util';
import { StartError } from '@ringback/runtime';
import { identifyProcess } from './process-identity.js';

/**
 * Takes the lock, so that one process at a time works in its folder; throws a StartError when a living one holds it.
 * The lock of a process that is gone counts for nothing, also when its id was given to another. Returns the release.
 */
export function takeLock(path: string): () => void {
  const mine = `${process.pid} ${identifyProcess(process.pid)}`;
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, mine, { mode: 0o600 });
  try {
    while (!tryLink(draft, path)) {
      const held = read(path);
      const pid = Number(held?.split(' ')[0]);
      if (held === `${pid} ${identifyProcess(pid)}`) {
        throw new StartError(
          `it already runs in this folder, as process ${pid}; stop that one first (Ctrl-C, or kill ${pid})`,
        );
      }
      if (held !== undefined) discard(path, held);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return () => {
    if (read(path) === mine) rmSync(path, { force: true });
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

/** Removes a stale lock, and not the fresh one that another process may have put in its place meanwhile. */
function discard(path: string, stale: string): void {
  const away = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, away);
  } catch {
    return;
  }
  if (read(away) !== stale) tryLink(away, path);
  rmSync(away, { force: true });
}
