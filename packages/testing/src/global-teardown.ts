/** Stops what the global setup started. */
export default async function stopTestServers(): Promise<void> {
  await globalThis.stopTestServers?.();
}
