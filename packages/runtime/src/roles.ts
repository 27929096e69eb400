import type { Logger } from './logger.js';

/** The roles of a worker. Each can run in its own processes, which scale separately. */
export const roles = ['ingest-sms', 'ingest-rcs', 'deliver-sms', 'deliver-rcs', 'verify', 'maintain'] as const;

export type Role = (typeof roles)[number];

/** Old names of roles and the names that replace them. The next version drops the old names. */
const renamedRoles = new Map<string, Role>([['reconcile', 'maintain']]);

const split = (text: string): string[] => text.split(',').map((word) => word.trim());

/**
 * Parses `WORKER_ROLES`: `all`, or a comma-separated list of roles. `ingest` and `deliver` stand for both channels.
 * Throws an Error that names an unknown role.
 */
export function parseRoles(text: string): Set<Role> {
  const chosen = split(text).flatMap((word) => {
    const name = renamedRoles.get(word) ?? word;
    const matching = roles.filter((role) => name === 'all' || role === name || role.startsWith(`${name}-`));
    if (matching.length === 0) throw new Error(`has no role "${word}"; the roles are all, ${roles.join(', ')}`);
    return matching;
  });
  return new Set(chosen);
}

/** Logs one warning for each old name of a role in the environment. Call it once, when a process starts. */
export function warnOfRenamedRoles({ WORKER_ROLES = '' }: NodeJS.ProcessEnv, log: Pick<Logger, 'warn'>): void {
  for (const role of new Set(split(WORKER_ROLES))) {
    const newName = renamedRoles.get(role);
    if (newName === undefined) continue;
    log.warn('config.role_renamed', {
      role,
      new_name: newName,
      hint: `write ${newName} instead of ${role} in WORKER_ROLES`,
    });
  }
}
