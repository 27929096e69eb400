/**
 * The delivery waits, due or not yet due, and has no lease. This is the condition of the partial indexes for claims.
 */
export const waitingSql = `due_at IS NOT NULL AND lease_expires_at IS NULL`;
