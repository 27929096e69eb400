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
  /** Gives no more permits: deliveries that wait for one are told that their webhook is saturated. */
  close(): void;
  /** Webhooks that hang or answer slowly and have all the calls that they may have; the first thousand. */
  saturated(): string[];
  /** Shares out the calls that could start now: how many of `most` a webhook gets, beside those that were told before. */
  plan(): (webhookId: string, accountId: string, most: number) => number;
};

/**
 * Limits the calls in flight of each webhook, so that a receiver's trouble is its own (behaviour: isolation). A limit starts
 * at 4, grows by one with each fast answer while it is reached, and is halved by a call without an answer. Webhooks that
 * hang have half of all calls together, those that answer late a quarter, and one account three quarters of each. Calls in
 * flight when a webhook begins to hang do not count against the others. For a fast webhook, deliveries of twice its limit
 * may wait here; all others are told that their webhook is saturated. A webhook is judged when a call starts or ends, and
 * ten times a second.
 */
export function createWebhookLimiter({
  calls,
  now = () => performance.now(),
}: {
  calls: number;
  now?: () => number;
}): WebhookLimiter {
  const { most, mostOfAccount } = callLimits(calls);
  const tracked = new Map<string, Tracked>();
  const crowded = new Map<string, Set<Tracked>>();
  const lagging = new Set<Tracked>();
  const accounts = new Map<string, InFlight>();
  const inFlight: InFlight = { ...nothing };
  let watch: NodeJS.Timeout | undefined;
  let closed = false;

  const trackedOf = (webhookId: string, accountId: string): Tracked => {
    const fresh = {
      webhookId,
      accountId,
      width: Math.min(width.first, most.width),
      pace: 'fast' as const,
      isProven: false,
      started: new Map(),
      leftAt: now(),
      waiting: [],
    };
    return tracked.get(webhookId) ?? fresh;
  };

  const ofAccount = (accountId: string): InFlight => accounts.get(accountId) ?? { ...nothing };
  /** Calls of webhooks that hang beyond their share are not taken from the others. */
  const left = (bounds: typeof mostOfAccount, { fast, slow, hung }: InFlight) =>
    bounds.all - fast - slow - Math.min(hung, bounds.hung);
  const leftOfPace = (pace: Pace, bounds: typeof mostOfAccount, counts: InFlight) =>
    pace === 'fast' ? Infinity : bounds[pace] - counts[pace];

  /** How many more calls each limit leaves: the webhook's own and those that it shares, and the limit of all. */
  const spaceOf = (webhook: Tracked, all = inFlight, account = ofAccount(webhook.accountId)) => {
    const { pace, width: own, started } = webhook;
    const ofPace = Math.min(leftOfPace(pace, most, all), leftOfPace(pace, mostOfAccount, account));
    return { own: Math.min(own - started.size, ofPace, left(mostOfAccount, account)), all: left(most, all) };
  };
  const isOpen = (webhook: Tracked) => {
    const { own, all } = spaceOf(webhook);
    return own > 0 && all > 0;
  };

  const count = ({ accountId, pace }: Tracked, by: number) => {
    const account = ofAccount(accountId);
    for (const counts of [inFlight, account]) counts[pace] += by;
    if (account.fast + account.slow + account.hung > 0) accounts.set(accountId, account);
    else accounts.delete(accountId);
  };

  /** Notes whether deliveries wait for the webhook; one that was just served comes last among those of its account. */
  const setCrowded = (webhook: Tracked) => {
    const { accountId } = webhook;
    const ofOne = crowded.get(accountId) ?? new Set();
    ofOne.delete(webhook);
    if (webhook.waiting.length > 0) crowded.set(accountId, ofOne.add(webhook));
    else if (ofOne.size === 0) crowded.delete(accountId);
  };

  const forgetUnused = ({ webhookId, pace, started, waiting }: Tracked) => {
    if (pace === 'fast' && started.size + waiting.length === 0) tracked.delete(webhookId);
  };
  const sendAway = (webhook: Tracked) => {
    for (const { resolve } of webhook.waiting.splice(0)) resolve('saturated');
    setCrowded(webhook);
    forgetUnused(webhook);
  };
  /** Whether the webhook may be the next of its account to hang, while as many calls of the account hang as may. */
  const isDoubtful = ({ accountId, isProven }: Tracked) => !isProven && ofAccount(accountId).hung >= mostOfAccount.hung;

  const setPace = (webhook: Tracked, pace: Pace) => {
    if (webhook.pace === pace) return;
    count(webhook, -webhook.started.size);
    webhook.pace = pace;
    count(webhook, webhook.started.size);
    if (pace === 'fast') return void lagging.delete(webhook);
    lagging.add(webhook);
    sendAway(webhook);
    [...(crowded.get(webhook.accountId) ?? [])].filter(isDoubtful).forEach(sendAway);
  };

  const adapt = (webhook: Tracked, { durationMs, answered }: CallResult) => {
    const wasFull = webhook.started.size + 1 >= webhook.width;
    setPace(webhook, durationMs < slowMs ? 'fast' : answered ? 'slow' : 'hung');
    webhook.isProven ||= webhook.pace === 'fast';
    const bound = webhook.pace === 'fast' ? most.width : Math.min(width.slow, most.width);
    if (webhook.pace === 'hung') webhook.width = Math.max(width.least, Math.floor(webhook.width / 2));
    else webhook.width = Math.min(wasFull ? webhook.width + 1 : webhook.width, bound);
  };

  const start = (webhook: Tracked): Permit => {
    const permit: Permit = {
      release(result) {
        if (!webhook.started.delete(permit)) return;
        count(webhook, -1);
        webhook.leftAt = now();
        if (result) adapt(webhook, result);
        admitWaiting(webhook);
        forgetUnused(webhook);
      },
    };
    tracked.set(webhook.webhookId, webhook);
    webhook.started.set(permit, now());
    count(webhook, 1);
    watch ??= setInterval(look, settings.lookEveryMs).unref();
    return permit;
  };

  const admitOne = (webhook: Tracked) => {
    if (webhook.waiting.length === 0 || !isOpen(webhook)) return;
    webhook.waiting.shift()?.resolve(start(webhook));
    setCrowded(webhook);
  };

  /** Serves the webhook whose call ended first, then each of the others that deliveries wait for. */
  const admitWaiting = (first?: Tracked) => {
    if (first) admitOne(first);
    for (const [accountId, ofOne] of crowded)
      for (const webhook of ofOne) {
        if (left(most, inFlight) <= 0) return;
        // Thousands of webhooks of the account may wait, and none of them can be served.
        if (left(mostOfAccount, ofAccount(accountId)) <= 0) break;
        admitOne(webhook);
      }
  };

  const judge = (webhook: Tracked) => {
    const [oldest] = webhook.started.values();
    if (oldest !== undefined && now() - oldest >= hungMs[webhook.pace]) setPace(webhook, 'hung');
  };

  /** Where others take all permits, a delivery waits in the database rather than here. */
  const sendAwayLate = (webhook: Tracked) => {
    const late = webhook.waiting.findIndex(({ since }) => now() - since < settings.maxWaitMs);
    const count = late === -1 ? webhook.waiting.length : late;
    if (count === 0) return;
    for (const { resolve } of webhook.waiting.splice(0, count)) resolve('saturated');
    setCrowded(webhook);
    forgetUnused(webhook);
  };

  const look = () => {
    for (const webhook of tracked.values()) {
      judge(webhook);
      sendAwayLate(webhook);
      if (webhook.pace === 'fast' || webhook.started.size > 0 || now() - webhook.leftAt < settings.forgetAfterMs)
        continue;
      lagging.delete(webhook);
      tracked.delete(webhook.webhookId);
    }
    admitWaiting();
    if (tracked.size === 0) watch = void clearInterval(watch);
  };

  return {
    async acquire(webhookId, accountId) {
      if (closed) return 'saturated';
      const webhook = trackedOf(webhookId, accountId);
      judge(webhook);
      if (webhook.waiting.length === 0 && isOpen(webhook)) return start(webhook);
      if (webhook.pace !== 'fast' || webhook.waiting.length >= 2 * webhook.width || isDoubtful(webhook))
        return 'saturated';
      return new Promise((resolve) => {
        tracked.set(webhookId, webhook);
        webhook.waiting.push({ since: now(), resolve });
        setCrowded(webhook);
      });
    },
    close() {
      closed = true;
      for (const webhook of [...tracked.values()]) sendAway(webhook);
    },
    saturated() {
      const ids: string[] = [];
      for (const webhook of lagging) {
        if (ids.length >= settings.maxSaturatedListed) break;
        if (!isOpen(webhook)) ids.push(webhook.webhookId);
      }
      return ids;
    },
    plan() {
      const planned = { ...inFlight };
      const ofAccounts = new Map<string, InFlight>();
      return (webhookId, accountId, mostWanted) => {
        const webhook = trackedOf(webhookId, accountId);
        const account = ofAccounts.get(accountId) ?? { ...ofAccount(accountId) };
        const { own, all } = spaceOf(webhook, planned, account);
        const room = Math.max(0, Math.min(own - webhook.waiting.length, all, mostWanted));
        if (room === 0) return 0;
        for (const counts of [planned, account]) counts[webhook.pace] += room;
        ofAccounts.set(accountId, account);
        return room;
      };
    },
  };
}
