/** The message for a database without tables. */
export const noTables = 'the database has no tables of Ringback; run `ringback migrate` first';

// The codes of PostgreSQL and of Prisma.
const codes: unknown[] = ['42P01', 'P2021'];

/** Whether the error means that a table is missing. */
export const isTableMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && codes.includes(error.code);
