/** How fast those may start that stand back for others. */
export type Pace = {
  /** Says how much longer than usual one of those others had waited. */
  late(ms: number): void;
  /** Whether one may start now; then it counts as started. */
  take(): boolean;
};

const windowMs = 100;
// Clocks of platforms are not the same to the millisecond.
const lateMs = 20;
const perSecond = { first: 400, least: 200, most: 10_000 };
const change = { slower: 0.7, faster: 1.1, alone: 1.5 };
// So long after the last of the others nobody is in the way.
const aloneMs = 3_000;
// While the pace holds nobody up, it goes back to the first by so much in each window.
const back = 0.1;
// So much of a second's share may start at one moment.
const atOnce = 0.05;

/**
 * Feels its way to what the machine has left. In each tenth of a second: slower when most of the others were late; else
 * faster when it held somebody up, and back towards where it began when it did not.
 */
export function openPace({ now }: { now: () => number }): Pace {
  let rate = perSecond.first;
  // `isShort`: somebody was held up.
  let window = { from: now(), lateness: [] as number[], isShort: false };
  let lastAt = -Infinity;
  let tokens = Infinity;
  let filledAt = now();

  const judge = () => {
    const windows = Math.floor((now() - window.from) / windowMs);
    if (windows < 1) return;
    const isAlone = now() - lastAt > aloneMs;
    const backAgain = Math.min(1, windows * back);
    if (areLate(window.lateness)) rate *= change.slower;
    else if (!window.isShort || backAgain === 1) rate += (perSecond.first - rate) * backAgain;
    else if (isAlone) rate *= change.alone;
    else if (window.lateness.length > 0) rate *= change.faster;
    rate = Math.min(perSecond.most, Math.max(perSecond.least, rate));
    window = { from: now(), lateness: [], isShort: false };
  };
  return {
    late(ms) {
      judge();
      window.lateness.push(ms);
      lastAt = now();
    },
    take() {
      judge();
      const at = now();
      tokens = Math.min(rate * atOnce, tokens + ((at - filledAt) * rate) / 1_000);
      filledAt = at;
      window.isShort ||= tokens < 1;
      if (tokens < 1) return false;
      tokens--;
      return true;
    },
  };
}

function areLate(lateness: number[]): boolean {
  return lateness.filter((ms) => ms > lateMs).length * 2 > lateness.length;
}
