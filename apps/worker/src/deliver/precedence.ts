import { remember } from '@ringback/runtime';
import { openPace } from './pace.js';

/** Lets retries in beside first attempts, and holds them back while first attempts are late. */
export type Precedence = {
  /** Says how long an account's event that was just taken from its queue had waited there, by clocks that need not agree. */
  taken(waitedMs: number, accountId: string): void;
  /** Resolves with what ends the turn when a retry may start. */
  enter(): Promise<() => void>;
  /** How many may be in hand that are no first attempts, or have waited anyhow: usually so many. */
  most(usually: number): number;
};

// An event that waited so much longer than others do is late, and for a while afterwards more are expected to be.
const lateMs = 100;
const hurryMs = 500;
// Clocks drift apart by less than this part of the time.
const drift = 0.001;
// An event from the future has a wrong time when so much is between its wait and those of others, and fewer than three
// have it: five are remembered.
const oddMs = 1_000;
const mostShortest = 5;
const lookAgainMs = 20;
const mostRemembered = 10_000;

/**
 * First attempts before retries: their queues are read side by side, so that a hundred thousand retries that fall due at
 * once would take most of a worker's time. They start at a pace that leaves events no queue to stand in; and while events
 * are very late, at most `least` of them are in hand at once, which is enough to show that their receivers are well again.
 * How late is told from the shortest wait there was, because a platform's clock may be wrong, and of the same account,
 * because another platform's is wrong in another way.
 */
export function openPrecedence({
  least,
  now = () => performance.now(),
}: {
  least: number;
  now?: () => number;
}): Precedence {
  const ofAll = openUsual(now);
  const ofAccounts = new Map<string, Usual>();
  let [lateAt, onTimeAt] = [-Infinity, -Infinity];
  let running = 0;
  const pace = openPace({ now });
  const waiting: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;

  const isHurry = () => now() - lateAt < hurryMs;
  const most = (usually: number) => (isHurry() ? Math.min(least, usually) : usually);
  const mayStart = () => running < most(Infinity) && pace.take();
  const leaver = () => {
    running++;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      running--;
      admit();
    };
  };
  const admit = () => {
    while (waiting.length > 0 && mayStart()) waiting.shift()?.();
    if (waiting.length > 0) timer ??= setInterval(admit, lookAgainMs).unref();
    else timer = void clearInterval(timer);
  };
  return {
    taken(waitedMs, accountId) {
      const known = ofAccounts.get(accountId);
      const late = waitedMs - Math.max(ofAll.ms(), known?.ms() ?? -Infinity);
      const isLate = late > lateMs;
      ofAll.learn(waitedMs);
      // Where others are on time, one that was never seen before has another clock.
      const isStranger = isLate && !known && now() - onTimeAt < hurryMs;
      if (known || !isLate || isStranger) {
        const usual = known ?? openUsual(now);
        usual.learn(waitedMs);
        remember(ofAccounts, accountId, usual, mostRemembered);
      }
      if (!isLate) onTimeAt = now();
      else if (!isStranger) lateAt = now();
      pace.late(isStranger ? 0 : late);
    },
    enter() {
      if (waiting.length === 0 && mayStart()) return Promise.resolve(leaver());
      return new Promise((resolve) => {
        waiting.push(() => resolve(leaver()));
        admit();
      });
    },
    most,
  };
}

/** The shortest wait there was, and a little more the longer ago that is. */
type Usual = { ms(): number; learn(waitedMs: number): void };

function openUsual(now: () => number): Usual {
  // The shortest, beginning with the shortest of them.
  let shortest: { waitedMs: number; at: number }[] = [];
  const today = () => shortest.map(({ waitedMs, at }) => waitedMs + (now() - at) * drift);
  return {
    ms() {
      const waits = today();
      const isOdd = (ms: number, index: number) =>
        ms < 0 && (waits.at(-1) ?? ms) - ms > oddMs && !((waits[index + 2] ?? Infinity) - ms <= oddMs);
      return waits.find((ms, index) => !isOdd(ms, index)) ?? Infinity;
    },
    learn(waitedMs) {
      const waits = today();
      const index = waits.findIndex((ms) => waitedMs <= ms);
      if (index === -1 && waits.length >= mostShortest) return;
      const place = index === -1 ? waits.length : index;
      shortest = shortest.toSpliced(place, 0, { waitedMs, at: now() }).slice(0, mostShortest);
    },
  };
}
