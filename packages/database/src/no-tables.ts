/** What whoever uses a database without tables is told. */
export const noTables = 'the database has no tables of Ringback; run `ringback migrate` first';

// PostgreSQL's own code, and Prisma's.
const codes: unknown[] = ['42P01', 'P2021'];

/** Whether an error says that a table is missing. */
export const isTableMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && codes.includes(error.code);
