/**
 * The start of the lease of a delivery `d`, which identifies the lease; null without a lease. Each statement that
 * starts or ends a lease sets `updated_at`. A renewal does not, so the worker that holds the lease need not read its id
 * again.
 */
export const leaseIdSql = `CASE WHEN d.lease_expires_at IS NOT NULL THEN d.updated_at END`;
