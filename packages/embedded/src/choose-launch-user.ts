import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export type Owner = { uid: number; gid: number };

/** How PostgreSQL's programs are started: as which user, and with which words before their command. */
export type LaunchUser = { owner?: Owner; prefix: string[] };

/**
 * Chooses how PostgreSQL is started. PostgreSQL refuses to run as root, so root starts it as the first of these users
 * that exists: the owner of the data (unless root), `postgres`, `nobody`. When that user cannot reach `paths`, for
 * example in a clone under /root, `setpriv` gives the server the capability to reach them. Throws if that does not
 * work.
 */
export function chooseLaunchUser(dataFolder: string, paths: string[]): LaunchUser {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const owner = ownerOf(dataFolder) ?? findUser('postgres') ?? findUser('nobody') ?? { uid: 65_534, gid: 65_534 };
  const unreachable = paths.find((path) => !isReachable(path, owner));
  if (unreachable === undefined) return { owner, prefix: [] };
  const prefix = setpriv(owner);
  if (spawnSync(prefix[0] ?? '', [...prefix.slice(1), 'true']).status === 0) return { owner, prefix };
  throw new Error(
    `PostgreSQL does not run as root, and the user with the id ${owner.uid} cannot reach ${unreachable}: ` +
      'run this as another user than root, or set DATABASE_URL to use your own PostgreSQL',
  );
}

// PostgreSQL finds its own files with access(2), where the kernel ignores the capability unless no_setuid_fixup is set.
const setpriv = ({ uid, gid }: Owner) =>
  ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'].concat([
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    '--securebits=+no_setuid_fixup',
  ]);

function ownerOf(folder: string): Owner | undefined {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats && stats.uid !== 0 ? { uid: stats.uid, gid: stats.gid } : undefined;
}

function findUser(name: string): Owner | undefined {
  try {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((text) => text.startsWith(`${name}:`));
    const [, , uid, gid] = line?.split(':') ?? [];
    return uid === undefined || uid === '0' ? undefined : { uid: Number(uid), gid: Number(gid) };
  } catch {
    return undefined;
  }
}

/** Whether the user may read and execute the file, or enter the folder, and may enter each folder above it. */
function isReachable(path: string, { uid, gid }: Owner): boolean {
  const stats = statSync(path);
  const shift = stats.uid === uid ? 6 : stats.gid === gid ? 3 : 0;
  const needed = stats.isDirectory() ? 0o1 : 0o5;
  if (((stats.mode >> shift) & needed) !== needed) return false;
  return dirname(path) === path || isReachable(dirname(path), { uid, gid });
}
