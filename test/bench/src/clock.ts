/** The time of the monotonic clock in ms. It is the same in all processes of the machine. */
export function now(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1e6;
}
