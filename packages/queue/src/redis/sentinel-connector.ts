import { type SentinelConnectionOptions, SentinelConnector } from 'ioredis';

type Connect = SentinelConnector['connect'];

/**
 * Works around a defect of ioredis's connector: the failover listener of a closed connection aborts the next connection
 * attempt, and the client then never connects again. This connector removes the old listener before it connects; each
 * new connection adds its own.
 */
export class ReconnectingSentinelConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
  }

  override connect(...args: Parameters<Connect>): ReturnType<Connect> {
    // Private in ioredis, whose version is pinned; sentinel.test.ts checks this.
    (this as unknown as { failoverDetector: { cleanup(): void } | null }).failoverDetector?.cleanup();
    return super.connect(...args);
  }
}
