/** What Jest runs after all tests: it stops the servers of start-servers.mjs. */
export default () => globalThis.stopTestServers?.();
