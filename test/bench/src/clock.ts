/** Milliseconds of the machine's monotonic clock, which is the same in all processes and is never set. */
export function now(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1e6;
}
