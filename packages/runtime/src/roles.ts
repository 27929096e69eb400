/** The jobs of the worker that can be scaled alone. */
export const roles = ['ingest-sms', 'ingest-rcs', 'deliver-sms', 'deliver-rcs', 'verify', 'reconcile'] as const;

export type Role = (typeof roles)[number];

/**
 * Reads `WORKER_ROLES`: `all`, or a comma-separated list of roles, where `ingest` and `deliver` stand for both channels.
 * Throws an Error that names what is not a role.
 */
export function parseRoles(text: string): Set<Role> {
  const words = text.split(',').map((word) => word.trim());
  const chosen = words.flatMap((word) => {
    const meant = roles.filter((role) => word === 'all' || role === word || role.startsWith(`${word}-`));
    if (meant.length === 0) throw new Error(`has no role "${word}"; there are all, ${roles.join(', ')}`);
    return meant;
  });
  return new Set(chosen);
}
