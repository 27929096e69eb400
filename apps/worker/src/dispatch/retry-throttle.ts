/**
 * Limits how many retries, resends and replays a claim takes from discovered webhooks, so that they do not delay new
 * events. In this file, "retry" means all three. `WebhookRotation` defines announced and discovered webhooks. Retries
 * of announced webhooks, such as a resend or a retry after its webhook was resumed, are not limited; they only use up
 * tokens. First attempts of a discovered webhook are limited until a wake-up announces it or a claim returns only first
 * attempts: an event that comes over HTTP is as urgent as one from a queue.
 */
export type RetryThrottle = {
  /**
   * Reports how long new work waited in this process: an event until it was stored, or an announced webhook until
   * deliveries of it were claimed.
   */
  reportDelay(delayMs: number): void;
  /** How many retries may be claimed from discovered webhooks now. */
  available(): number;
  /**
   * Takes `count` tokens, for retries that were claimed. A claim from announced webhooks may take more than there are.
   */
  spend(count: number): void;
};

const windowMs = 100;
// A delay above this is late. Measured with 100,000 retries beside 300 events/s: with 5 ms, the retries take twice as
// long. With 25 ms, the events wait twice as long.
const lateMs = 10;
const retriesPerSecond = { initial: 400, min: 200, max: 10_000 };
const factor = { slower: 0.7, faster: 1.1, withoutReports: 1.5 };
// When no delay was reported for this long, there is no new work that retries could delay.
const noReportMs = 3_000;
// In each window in which the bucket did not run out, and in an outdated one (`outOfDateMs`), the rate moves towards
// the initial one by this share of the difference.
const decayPerWindow = 0.1;
// A window that lasted for this long, because nothing was claimed or reported, is outdated: it says nothing about the
// present load.
const outOfDateMs = 1_000;
// The burst: this share of a second's retries may start at the same time.
const burstShare = 0.05;

/**
 * A token bucket whose rate starts at 400 retries a second and adapts every 100 ms, between 200 and 10,000. The first
 * case that applies decides; if none does, the rate stays:
 *
 * - More than half of the reported delays exceed 10 ms: the rate is multiplied by 0.7.
 * - The bucket ran out, and no delay was reported for 3 s: it is multiplied by 1.5.
 * - The bucket did not run out, or nothing was claimed or reported for 1 s: it moves towards 400, by 10 % of the
 *   difference for every 100 ms.
 * - Delays were reported in these 100 ms: it is multiplied by 1.1.
 *
 * The concurrency limiter cannot replace the throttle, because most of a retry's cost is in the database.
 */
export function createRetryThrottle({ now = () => performance.now() }: { now?: () => number } = {}): RetryThrottle {
  let rate = retriesPerSecond.initial;
  let window = { from: now(), delays: [] as number[], ranOutOfTokens: false };
  let lastReportAt = -Infinity;
  let tokens = Infinity;
  let filledAt = now();

  const adapt = () => {
    const elapsedMs = now() - window.from;
    const windows = Math.floor(elapsedMs / windowMs);
    if (windows < 1) return;
    const hasNoReports = now() - lastReportAt > noReportMs;
    const decay = Math.min(1, windows * decayPerWindow);
    if (areLate(window.delays)) rate *= factor.slower;
    else if (hasNoReports && window.ranOutOfTokens) rate *= factor.withoutReports;
    else if (!window.ranOutOfTokens || elapsedMs >= outOfDateMs) rate += (retriesPerSecond.initial - rate) * decay;
    else if (window.delays.length > 0) rate *= factor.faster;
    rate = Math.min(retriesPerSecond.max, Math.max(retriesPerSecond.min, rate));
    window = { from: now(), delays: [], ranOutOfTokens: false };
  };
  return {
    reportDelay(delayMs) {
      adapt();
      window.delays.push(delayMs);
      lastReportAt = now();
    },
    available() {
      adapt();
      const at = now();
      tokens = Math.min(Math.max(1, rate * burstShare), tokens + ((at - filledAt) * rate) / 1_000);
      filledAt = at;
      window.ranOutOfTokens ||= tokens < 1;
      return Math.floor(tokens);
    },
    spend(count) {
      tokens = Math.max(0, tokens - count);
      window.ranOutOfTokens ||= tokens < 1;
    },
  };
}

function areLate(delays: number[]): boolean {
  return delays.filter((ms) => ms > lateMs).length * 2 > delays.length;
}
