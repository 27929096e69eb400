/**
 * The delivery waits, due or not yet due, and has no lease. This is the condition of the partial indexes for claims.
 */
export const waitingSql = `due_at IS NOT NULL AND lease_expires_at IS NULL`;

/**
 * The start of the lease of a delivery `d`, which identifies the lease; null without one. Each statement that starts or
 * ends a lease sets `updated_at`. A renewal does not, so the worker that holds the lease need not read it again.
 */
export const leaseIdSql = `CASE WHEN d.lease_expires_at IS NOT NULL THEN d.updated_at END`;
