/** How fast those may start that stand back for others. */
export type Pace = {
  /** Says how much longer than usual one of those others had waited. */
  late(ms: number): void;
  /** Whether one may start now; then it counts as started. */
  take(): boolean;
};

const windowMs = 100;
const lateMs = 10;
const perSecond = { first: 400, least: 50, most: 10_000 };
const change = { slower: 0.7, faster: 1.1, alone: 1.5 };
// While the pace holds nobody up, it goes back to the first by so much in each window.
const back = 0.1;

/**
 * Feels its way to what the machine has left: slower when half of the others were late, faster when they were not, and
 * careful again after a rest. 50 may start in any second, so that nobody waits for ever.
 */
export function openPace({ now }: { now: () => number }): Pace {
  let rate = perSecond.first;
  // `isShort`: somebody was held up.
  let window = { from: now(), lateness: [] as number[], isShort: false };
  let tokens = Infinity;
  let filledAt = now();

  const judge = () => {
    const windows = Math.floor((now() - window.from) / windowMs);
    if (windows < 1) return;
    const rested = Math.min(1, windows * back);
    if (window.isShort && rested < 1) rate *= changeOf(window.lateness);
    else rate += (perSecond.first - rate) * rested;
    rate = Math.min(perSecond.most, Math.max(perSecond.least, rate));
    window = { from: now(), lateness: [], isShort: false };
  };
  return {
    late(ms) {
      judge();
      window.lateness.push(ms);
    },
    take() {
      judge();
      const at = now();
      tokens = Math.min((rate * windowMs) / 1_000, tokens + ((at - filledAt) * rate) / 1_000);
      filledAt = at;
      window.isShort ||= tokens < 1;
      if (tokens < 1) return false;
      tokens--;
      return true;
    },
  };
}

function changeOf(lateness: number[]): number {
  if (lateness.length === 0) return change.alone;
  const late = lateness.filter((ms) => ms > lateMs);
  return late.length * 2 > lateness.length ? change.slower : change.faster;
}
