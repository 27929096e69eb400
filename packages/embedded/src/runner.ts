import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export type Owner = { uid: number; gid: number };

/** How PostgreSQL's programs are run here: as which user, and through which other program. */
export type Runner = { owner?: Owner; prefix: string[] };

/**
 * PostgreSQL refuses to run as root, so root runs it as another user: the one that owns the data already, else
 * `postgres`, else `nobody`. Where that user cannot walk to `paths` (a clone under /root, say), `setpriv` lets it keep
 * the one capability that it needs for this.
 */
export function chooseRunner(dataFolder: string, paths: string[]): Runner {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const owner = ownerOf(dataFolder) ?? findUser('postgres') ?? findUser('nobody') ?? { uid: 65_534, gid: 65_534 };
  const blocked = paths.find((path) => !isReachable(path, owner));
  if (blocked === undefined) return { owner, prefix: [] };
  const prefix = setpriv(owner);
  if (spawnSync(prefix[0] ?? '', [...prefix.slice(1), 'true']).status === 0) return { owner, prefix };
  throw new Error(
    `PostgreSQL does not run as root, and the user with the id ${owner.uid} cannot reach ${blocked}: ` +
      'run this as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own',
  );
}

// Without no_setuid_fixup the kernel ignores the capability in access(2), with which PostgreSQL looks for itself.
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

/** Whether that user may read and execute the file or folder and enter each folder above it. */
function isReachable(path: string, { uid, gid }: Owner): boolean {
  const stats = statSync(path);
  const shift = stats.uid === uid ? 6 : stats.gid === gid ? 3 : 0;
  const needed = stats.isDirectory() ? 0o1 : 0o5;
  if (((stats.mode >> shift) & needed) !== needed) return false;
  return dirname(path) === path || isReachable(dirname(path), { uid, gid });
}
