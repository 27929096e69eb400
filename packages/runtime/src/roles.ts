/** The tasks of a worker. Each can run in processes of its own, which scale separately. */
export const roles = ['ingest-sms', 'ingest-rcs', 'deliver-sms', 'deliver-rcs', 'verify', 'reconcile'] as const;

export type Role = (typeof roles)[number];

/**
 * Parses `WORKER_ROLES`: `all`, or a comma-separated list of roles. `ingest` and `deliver` stand for both channels.
 * Throws an Error that names an unknown role.
 */
export function parseRoles(text: string): Set<Role> {
  const words = text.split(',').map((word) => word.trim());
  const chosen = words.flatMap((word) => {
    const matching = roles.filter((role) => word === 'all' || role === word || role.startsWith(`${word}-`));
    if (matching.length === 0) throw new Error(`has no role "${word}"; the roles are all, ${roles.join(', ')}`);
    return matching;
  });
  return new Set(chosen);
}
