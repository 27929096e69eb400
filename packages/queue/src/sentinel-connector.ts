import { type SentinelConnectionOptions, SentinelConnector } from 'ioredis';

type Connect = SentinelConnector['connect'];

/**
 * ioredis's connector, without its way of ending a client for ever: what listens for a failover on behalf of a connection
 * that is gone hears of it while the next one is being made, and breaks that off. A connection has a listener of its own
 * as soon as it stands.
 */
export class LastingSentinelConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
  }

  override connect(...words: Parameters<Connect>): ReturnType<Connect> {
    // Private in ioredis, whose version is pinned; sentinel.test.ts holds that it does what is said here.
    (this as unknown as { failoverDetector: { cleanup(): void } | null }).failoverDetector?.cleanup();
    return super.connect(...words);
  }
}
