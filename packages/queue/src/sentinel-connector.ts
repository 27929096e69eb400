import { type SentinelConnectionOptions, SentinelConnector } from 'ioredis';

type Connect = SentinelConnector['connect'];

/**
 * ioredis's connector without a defect: the failover listener of a closed connection aborts the next connection attempt, and
 * the client ends for ever. This one removes the old listener first; each new connection adds its own.
 */
export class LastingSentinelConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
  }

  override connect(...words: Parameters<Connect>): ReturnType<Connect> {
    // Private in ioredis, whose version is pinned; sentinel.test.ts checks this.
    (this as unknown as { failoverDetector: { cleanup(): void } | null }).failoverDetector?.cleanup();
    return super.connect(...words);
  }
}
