// A terminal sends Ctrl-C to the whole process group, and npm passes it on, so one Ctrl-C arrives twice within
// milliseconds.
const duplicateWindowMs = 1_000;

/**
 * Creates a handler of stop signals. The first call runs `onStop`. A call more than one second after it runs
 * `onForcedStop`. An earlier one is ignored as a duplicate.
 */
export function createStopHandler<Reason>(
  onStop: (reason: Reason) => void,
  onForcedStop: () => void,
): (reason: Reason) => void {
  let firstAt: number | undefined;
  return (reason) => {
    if (firstAt === undefined) {
      firstAt = Date.now();
      onStop(reason);
    } else if (Date.now() - firstAt > duplicateWindowMs) onForcedStop();
  };
}
