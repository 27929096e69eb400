/** Stops the servers of the global setup. */
export default async function stopTestServers(): Promise<void> {
  await globalThis.stopTestServers?.();
}
