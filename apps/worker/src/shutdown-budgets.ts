/**
 * How long the parts of a worker may take to stop. T is the callback timeout.
 *
 *   total           T + 8 s   then the process ends
 *     work          T + 4 s   running jobs and attempts
 *       consumers   T + 2 s   BullMQ's workers; then 1 s more to close them by force
 *     maintenance       2 s   the running maintenance services; other workers repeat unfinished work
 *
 * The work stops before maintenance, and connections close last. The consumers are part of the work.
 */
export type ShutdownBudgets = ReturnType<typeof shutdownBudgets>;

export const shutdownBudgets = ({ callbackTimeoutMs }: { callbackTimeoutMs: number }) => ({
  totalMs: callbackTimeoutMs + 8_000,
  workMs: callbackTimeoutMs + 4_000,
  consumersMs: callbackTimeoutMs + 2_000,
  forcedCloseMs: 1_000,
  maintenanceMs: 2_000,
});
