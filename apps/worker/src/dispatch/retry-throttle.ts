/** Lets retries start at a rate that leaves first attempts on time. */
export type RetryThrottle = {
  /** Says how long a first attempt waited in this process, from the arrival of its event to its start, in ms. */
  observe(queueDelayMs: number): void;
  /** How many retries may start now. */
  available(): number;
  /** Says how many started. */
  spend(count: number): void;
};

const windowMs = 100;
const lateMs = 25;
const perSecond = { initial: 400, min: 200, max: 10_000 };
const factor = { slower: 0.7, faster: 1.1, alone: 1.5 };
// Without a first attempt for this long, retries delay none.
const aloneMs = 3_000;
// While the throttle holds nothing back, its rate returns to the initial one by this share in each window.
const returnShare = 0.1;
// This part of a second's retries may start at once.
const burstShare = 0.05;

/**
 * Adapts its rate every 100 ms: slower while most first attempts are late, else faster while retries are held back. A
 * retry is seldom a call that waits, often a trip to the ledger and back, which no limit on calls in flight holds back.
 */
export function createRetryThrottle({ now = () => performance.now() }: { now?: () => number } = {}): RetryThrottle {
  let rate = perSecond.initial;
  let window = { from: now(), delays: [] as number[], heldBack: false };
  let observedAt = -Infinity;
  let tokens = Infinity;
  let filledAt = now();

  const adapt = () => {
    const windows = Math.floor((now() - window.from) / windowMs);
    if (windows < 1) return;
    const isAlone = now() - observedAt > aloneMs;
    const back = Math.min(1, windows * returnShare);
    if (areLate(window.delays)) rate *= factor.slower;
    else if (isAlone && window.heldBack) rate *= factor.alone;
    else if (!window.heldBack || back === 1) rate += (perSecond.initial - rate) * back;
    else if (window.delays.length > 0) rate *= factor.faster;
    rate = Math.min(perSecond.max, Math.max(perSecond.min, rate));
    window = { from: now(), delays: [], heldBack: false };
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
      window.heldBack ||= tokens < 1;
      return Math.floor(tokens);
    },
    spend(count) {
      tokens -= count;
      window.heldBack ||= tokens < 1;
    },
  };
}

function areLate(delays: number[]): boolean {
  return delays.filter((ms) => ms > lateMs).length * 2 > delays.length;
}
