/** Limits the rate at which retries start, so that first attempts stay on time. */
export type RetryThrottle = {
  /** Reports how long a first attempt waited in this process, from the arrival of its event to its start. */
  observe(queueDelayMs: number): void;
  /** How many retries may start now. */
  available(): number;
  /** Reports that `count` retries start. */
  spend(count: number): void;
};

const windowMs = 100;
const lateMs = 25;
const perSecond = { initial: 400, min: 200, max: 10_000 };
const factor = { slower: 0.7, faster: 1.1, alone: 1.5 };
// Without a first attempt for this long, retries delay no first attempt.
const aloneMs = 3_000;
// In each window in which no retry waits for the throttle, the rate moves to the initial one by this share.
const returnShare = 0.1;
// The burst: this share of a second's retries may start at the same time.
const burstShare = 0.05;

/**
 * A token bucket whose rate adapts every 100 ms, from 400 to between 200 and 10,000 retries a second: × 0.7 when more than
 * half of the first attempts waited over 25 ms; else × 1.1 while retries wait for the throttle, or × 1.5 when there was no
 * first attempt for 3 s. The webhook limiter does not suffice: most of the cost of a retry is in the database.
 */
export function createRetryThrottle({ now = () => performance.now() }: { now?: () => number } = {}): RetryThrottle {
  let rate = perSecond.initial;
  let window = { from: now(), delays: [] as number[], wasThrottled: false };
  let observedAt = -Infinity;
  let tokens = Infinity;
  let filledAt = now();

  const adapt = () => {
    const windows = Math.floor((now() - window.from) / windowMs);
    if (windows < 1) return;
    const isAlone = now() - observedAt > aloneMs;
    const returned = Math.min(1, windows * returnShare);
    if (areLate(window.delays)) rate *= factor.slower;
    else if (isAlone && window.wasThrottled) rate *= factor.alone;
    else if (!window.wasThrottled || returned === 1) rate += (perSecond.initial - rate) * returned;
    else if (window.delays.length > 0) rate *= factor.faster;
    rate = Math.min(perSecond.max, Math.max(perSecond.min, rate));
    window = { from: now(), delays: [], wasThrottled: false };
  };
  return {
    observe(queueDelayMs) {
      adapt();
      window.delays.push(queueDelayMs);
      observedAt = now();
    },
    available() {
      adapt();
      const at = now();
      tokens = Math.min(Math.max(1, rate * burstShare), tokens + ((at - filledAt) * rate) / 1_000);
      filledAt = at;
      window.wasThrottled ||= tokens < 1;
      return Math.floor(tokens);
    },
    spend(count) {
      tokens -= count;
      window.wasThrottled ||= tokens < 1;
    },
  };
}

function areLate(delays: number[]): boolean {
  return delays.filter((ms) => ms > lateMs).length * 2 > delays.length;
}
