import {
  callLimits,
  type CallResult,
  hungMs,
  type InFlight,
  nothing,
  type Pace,
  type Permit,
  settings,
  slowMs,
  type Tracked,
  width,
} from './call-limits.js';

export type WebhookLimiter = {
  /**
   * A permit to call a webhook of an account, at once or soon. `saturated` when it may take long: then the delivery is
   * released, so that any worker may claim it later.
   */
  acquire(webhookId: string, accountId: string): Promise<Permit | 'saturated'>;
  /** Gives no more permits: whoever waits for one is told that its webhook is saturated. */
  close(): void;
  /** Webhooks that hang or answer slowly and have all the calls that they may have; the first thousand. */
  saturated(): string[];
  /** Shares out the calls that could start now: how many of `most` a webhook gets, beside those that were told before. */
  plan(): (webhookId: string, accountId: string, most: number) => number;
};

/**
 * One lane for each webhook, so that a receiver's trouble is its own. A lane starts narrow, widens while its receiver
 * answers fast, and narrows when it does not. WebhookLimiter that hang together get half of all calls in flight, those that answer
 * late a quarter; an account gets three quarters of each. What is in flight in a lane that begins to hang goes on beside
 * them: the other half is always there for the others. A fast lane has a waiting room of twice its width, the others have
 * none, and nor have those of an account of which as much hangs as may until they were answered fast: whoever waits keeps a
 * job in hand. A lane is judged when somebody enters or leaves, and ten times a second, since nobody may come while all wait.
 */
export function createWebhookLimiter({
  calls,
  now = () => performance.now(),
}: {
  calls: number;
  now?: () => number;
}): WebhookLimiter {
  const { most, mostOfAccount } = callLimits(calls);
  const lanes = new Map<string, Tracked>();
  const crowded = new Map<string, Set<Tracked>>();
  const lagging = new Set<Tracked>();
  const accounts = new Map<string, InFlight>();
  const inFlight: InFlight = { ...nothing };
  let watch: NodeJS.Timeout | undefined;
  let closed = false;

  const laneOf = (webhookId: string, accountId: string): Tracked => {
    const first = Math.min(width.first, most.width);
    const fresh = {
      webhookId,
      accountId,
      width: first,
      pace: 'fast' as const,
      isProven: false,
      started: new Map(),
      leftAt: now(),
      waiting: [],
    };
    return lanes.get(webhookId) ?? fresh;
  };

  const ofAccount = (accountId: string): InFlight => accounts.get(accountId) ?? { ...nothing };
  /** What those that hang have beyond their part is nobody else's loss. */
  const left = (bounds: typeof mostOfAccount, { fast, slow, hung }: InFlight) =>
    bounds.all - fast - slow - Math.min(hung, bounds.hung);
  const leftOfPace = (pace: Pace, bounds: typeof mostOfAccount, counts: InFlight) =>
    pace === 'fast' ? Infinity : bounds[pace] - counts[pace];

  /** How many more calls each bound leaves: the lane's own, those that it shares with others like it, and that of all. */
  const spaceOf = (
    { accountId, pace, width: own, started }: Tracked,
    all = inFlight,
    account = ofAccount(accountId),
  ) => {
    const ofPace = Math.min(leftOfPace(pace, most, all), leftOfPace(pace, mostOfAccount, account));
    return { own: Math.min(own - started.size, ofPace, left(mostOfAccount, account)), all: left(most, all) };
  };
  const isOpen = (lane: Tracked) => {
    const { own, all } = spaceOf(lane);
    return own > 0 && all > 0;
  };

  const count = ({ accountId, pace }: Tracked, by: number) => {
    const account = ofAccount(accountId);
    for (const counts of [inFlight, account]) counts[pace] += by;
    if (account.fast + account.slow + account.hung > 0) accounts.set(accountId, account);
    else accounts.delete(accountId);
  };

  /** Notes whether somebody waits in the lane; one in which somebody was let in is the last of its account. */
  const setCrowded = (lane: Tracked) => {
    const { accountId } = lane;
    const ofOne = crowded.get(accountId) ?? new Set();
    ofOne.delete(lane);
    if (lane.waiting.length > 0) crowded.set(accountId, ofOne.add(lane));
    else if (ofOne.size === 0) crowded.delete(accountId);
  };

  const forgetUnused = ({ webhookId, pace, started, waiting }: Tracked) => {
    if (pace === 'fast' && started.size + waiting.length === 0) lanes.delete(webhookId);
  };
  const sendAway = (lane: Tracked) => {
    for (const { resolve } of lane.waiting.splice(0)) resolve('saturated');
    setCrowded(lane);
    forgetUnused(lane);
  };
  /** Whether as much of a lane's account hangs as may, and the lane may well be the next: none of its calls was answered fast. */
  const isDoubtful = ({ accountId, isProven }: Tracked) => !isProven && ofAccount(accountId).hung >= mostOfAccount.hung;

  const setPace = (lane: Tracked, pace: Pace) => {
    if (lane.pace === pace) return;
    count(lane, -lane.started.size);
    lane.pace = pace;
    count(lane, lane.started.size);
    if (pace === 'fast') return void lagging.delete(lane);
    lagging.add(lane);
    sendAway(lane);
    [...(crowded.get(lane.accountId) ?? [])].filter(isDoubtful).forEach(sendAway);
  };

  const adapt = (lane: Tracked, { durationMs, answered }: CallResult) => {
    const wasFull = lane.started.size + 1 >= lane.width;
    setPace(lane, durationMs < slowMs ? 'fast' : answered ? 'slow' : 'hung');
    lane.isProven ||= lane.pace === 'fast';
    const bound = lane.pace === 'fast' ? most.width : Math.min(width.slow, most.width);
    if (lane.pace === 'hung') lane.width = Math.max(width.least, Math.floor(lane.width / 2));
    else lane.width = Math.min(wasFull ? lane.width + 1 : lane.width, bound);
  };

  const start = (lane: Tracked): Permit => {
    const permit: Permit = {
      release(result) {
        if (!lane.started.delete(permit)) return;
        count(lane, -1);
        lane.leftAt = now();
        if (result) adapt(lane, result);
        admitWaiting(lane);
        forgetUnused(lane);
      },
    };
    lanes.set(lane.webhookId, lane);
    lane.started.set(permit, now());
    count(lane, 1);
    watch ??= setInterval(look, settings.lookEveryMs).unref();
    return permit;
  };

  const admitOne = (lane: Tracked) => {
    if (lane.waiting.length === 0 || !isOpen(lane)) return;
    lane.waiting.shift()?.resolve(start(lane));
    setCrowded(lane);
  };

  /** Whoever waits in the lane that was left goes first, then one of each crowded lane in permit. */
  const admitWaiting = (first?: Tracked) => {
    if (first) admitOne(first);
    for (const [accountId, ofOne] of crowded)
      for (const lane of ofOne) {
        if (left(most, inFlight) <= 0) return;
        // There may be thousands, and none of them can be let in.
        if (left(mostOfAccount, ofAccount(accountId)) <= 0) break;
        admitOne(lane);
      }
  };

  const judge = (lane: Tracked) => {
    const [oldest] = lane.started.values();
    if (oldest !== undefined && now() - oldest >= hungMs[lane.pace]) setPace(lane, 'hung');
  };

  /** Where others take all permits, a delivery waits in the database rather than here. */
  const sendAwayLate = (lane: Tracked) => {
    const late = lane.waiting.findIndex(({ since }) => now() - since < settings.maxWaitMs);
    const count = late === -1 ? lane.waiting.length : late;
    if (count === 0) return;
    for (const { resolve } of lane.waiting.splice(0, count)) resolve('saturated');
    setCrowded(lane);
    forgetUnused(lane);
  };

  const look = () => {
    for (const lane of lanes.values()) {
      judge(lane);
      sendAwayLate(lane);
      if (lane.pace === 'fast' || lane.started.size > 0 || now() - lane.leftAt < settings.forgetAfterMs) continue;
      lagging.delete(lane);
      lanes.delete(lane.webhookId);
    }
    admitWaiting();
    if (lanes.size === 0) watch = void clearInterval(watch);
  };

  return {
    async acquire(webhookId, accountId) {
      if (closed) return 'saturated';
      const lane = laneOf(webhookId, accountId);
      judge(lane);
      if (lane.waiting.length === 0 && isOpen(lane)) return start(lane);
      if (lane.pace !== 'fast' || lane.waiting.length >= 2 * lane.width || isDoubtful(lane)) return 'saturated';
      return new Promise((resolve) => {
        lanes.set(webhookId, lane);
        lane.waiting.push({ since: now(), resolve });
        setCrowded(lane);
      });
    },
    close() {
      closed = true;
      for (const lane of [...lanes.values()]) sendAway(lane);
    },
    saturated() {
      const ids: string[] = [];
      for (const lane of lagging) {
        if (ids.length >= settings.maxSaturatedListed) break;
        if (!isOpen(lane)) ids.push(lane.webhookId);
      }
      return ids;
    },
    plan() {
      const planned = { ...inFlight };
      const ofAccounts = new Map<string, InFlight>();
      return (webhookId, accountId, mostWanted) => {
        const lane = laneOf(webhookId, accountId);
        const account = ofAccounts.get(accountId) ?? { ...ofAccount(accountId) };
        const { own, all } = spaceOf(lane, planned, account);
        const room = Math.max(0, Math.min(own - lane.waiting.length, all, mostWanted));
        if (room === 0) return 0;
        for (const counts of [planned, account]) counts[lane.pace] += room;
        ofAccounts.set(accountId, account);
        return room;
      };
    },
  };
}
