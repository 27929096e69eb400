/** What a call was like, for the width of its lane. `answered` is false when nothing came back at all. */
export type CallResult = { durationMs: number; answered: boolean };

/** Permission to call; has to be given back when the call is over. */
export type Turn = { leave(result: CallResult): void };

export type Lanes = {
  /**
   * A turn to call a webhook of an account: at once, or soon. `full` when it may take long, so that whoever asked had
   * better be parked.
   */
  enter(webhookId: string, accountId: string): Promise<Turn | 'full'>;
  /** Webhooks that answer slowly and have all the calls that they may have; the first thousand. */
  full(): string[];
  /** How many more calls of the webhook could start now. */
  room(webhookId: string, accountId: string): number;
};

type Lane = {
  webhookId: string;
  accountId: string;
  /** How many of its calls may be in flight. */
  width: number;
  slow: boolean;
  /** When each call in flight started, the oldest first. */
  started: Map<Turn, number>;
  /** When the last call ended. */
  leftAt: number;
  waiting: ((turn: Turn | 'full') => void)[];
};

const width = { first: 4, least: 2, slow: 10 };
const slowMs = 500;
const mostFull = 1_000;
const lookEveryMs = 100;
// A slow lane in which nobody was for so long begins anew.
const forgottenMs = 60_000;

/** Calls in flight; `slow` are those in slow lanes. */
type InFlight = { all: number; slow: number };

/**
 * One lane for each webhook, so that a receiver's trouble is its own. A lane starts narrow, widens while its receiver
 * answers fast, and narrows when it does not; slow lanes together get half of all calls in flight, an account three
 * quarters of all and of that half. What is in flight in a lane that turns slow goes on beside them: the other half is
 * always there for lanes that are fast. A fast lane has a waiting room of twice its width, a slow one has none. A lane is
 * judged when somebody enters or leaves, and ten times a second, since nobody may come while all are waiting.
 */
export function openLanes({ calls, now = () => performance.now() }: { calls: number; now?: () => number }): Lanes {
  const most = {
    width: Math.max(width.least, Math.floor(calls / 4)),
    slow: Math.max(1, Math.floor(calls / 2)),
    ofAccount: Math.max(1, Math.floor((calls * 3) / 4)),
    slowOfAccount: Math.max(1, Math.floor((calls * 3) / 8)),
  };
  const lanes = new Map<string, Lane>();
  const crowded = new Map<string, Set<Lane>>();
  const slow = new Set<Lane>();
  const accounts = new Map<string, InFlight>();
  const inFlight: InFlight = { all: 0, slow: 0 };
  let watch: NodeJS.Timeout | undefined;

  const laneOf = (webhookId: string, accountId: string): Lane => {
    const first = Math.min(width.first, most.width);
    const fresh = { webhookId, accountId, width: first, slow: false, started: new Map(), leftAt: now(), waiting: [] };
    return lanes.get(webhookId) ?? fresh;
  };

  const ofAccount = (accountId: string): InFlight => accounts.get(accountId) ?? { all: 0, slow: 0 };
  const leftOfAll = () => calls - (inFlight.all - inFlight.slow) - Math.min(inFlight.slow, most.slow);
  const isAccountFull = (accountId: string) => ofAccount(accountId).all >= most.ofAccount;

  /** How many more calls each bound leaves: the lane's own, those that it shares with others like it, and that of all. */
  const spaceOf = (lane: Lane) => {
    const account = ofAccount(lane.accountId);
    const slowLeft = lane.slow
      ? Math.min(most.slow - inFlight.slow, most.slowOfAccount - account.slow)
      : Number.POSITIVE_INFINITY;
    return { own: Math.min(lane.width - lane.started.size, slowLeft, most.ofAccount - account.all), all: leftOfAll() };
  };
  const isOpen = (lane: Lane) => {
    const { own, all } = spaceOf(lane);
    return own > 0 && all > 0;
  };

  const count = ({ accountId }: Lane, added: Partial<InFlight>) => {
    const account = ofAccount(accountId);
    for (const counts of [inFlight, account]) {
      counts.all += added.all ?? 0;
      counts.slow += added.slow ?? 0;
    }
    if (account.all > 0) accounts.set(accountId, account);
    else accounts.delete(accountId);
  };

  /** Notes whether somebody waits in the lane; one in which somebody was let in is the last of its account. */
  const setCrowded = (lane: Lane) => {
    const { accountId } = lane;
    const ofOne = crowded.get(accountId) ?? new Set();
    ofOne.delete(lane);
    if (lane.waiting.length > 0) crowded.set(accountId, ofOne.add(lane));
    else if (ofOne.size === 0) crowded.delete(accountId);
  };

  const setSlow = (lane: Lane, isSlow: boolean) => {
    if (lane.slow === isSlow) return;
    lane.slow = isSlow;
    count(lane, { slow: isSlow ? lane.started.size : -lane.started.size });
    if (!isSlow) return void slow.delete(lane);
    slow.add(lane);
    for (const admit of lane.waiting.splice(0)) admit('full');
    setCrowded(lane);
  };

  const adapt = (lane: Lane, { durationMs, answered }: CallResult) => {
    const wasFull = lane.started.size + 1 >= lane.width;
    setSlow(lane, durationMs >= slowMs);
    const bound = lane.slow ? Math.min(width.slow, most.width) : most.width;
    if (lane.slow && !answered) lane.width = Math.max(width.least, Math.floor(lane.width / 2));
    else lane.width = Math.min(wasFull ? lane.width + 1 : lane.width, bound);
  };

  const start = (lane: Lane): Turn => {
    const turn: Turn = {
      leave(result) {
        if (!lane.started.delete(turn)) return;
        count(lane, { all: -1, slow: lane.slow ? -1 : 0 });
        lane.leftAt = now();
        adapt(lane, result);
        admitWaiting(lane);
        if (lane.started.size + lane.waiting.length === 0 && !lane.slow) lanes.delete(lane.webhookId);
      },
    };
    lanes.set(lane.webhookId, lane);
    lane.started.set(turn, now());
    count(lane, { all: 1, slow: lane.slow ? 1 : 0 });
    watch ??= setInterval(look, lookEveryMs).unref();
    return turn;
  };

  const admitOne = (lane: Lane) => {
    if (lane.waiting.length === 0 || !isOpen(lane)) return;
    lane.waiting.shift()?.(start(lane));
    setCrowded(lane);
  };

  /** Whoever waits in the lane that was left goes first, then one of each crowded lane in turn. */
  const admitWaiting = (left?: Lane) => {
    if (left) admitOne(left);
    for (const [accountId, ofOne] of crowded)
      for (const lane of ofOne) {
        if (leftOfAll() <= 0) return;
        // There may be thousands, and none of them can be let in.
        if (isAccountFull(accountId)) break;
        admitOne(lane);
      }
  };

  const judge = (lane: Lane) => {
    const [oldest] = lane.started.values();
    if (oldest !== undefined && now() - oldest >= slowMs) setSlow(lane, true);
  };

  const look = () => {
    for (const lane of lanes.values()) {
      if (!lane.slow) judge(lane);
      else if (lane.started.size === 0 && now() - lane.leftAt >= forgottenMs) {
        slow.delete(lane);
        lanes.delete(lane.webhookId);
      }
    }
    admitWaiting();
    if (lanes.size === 0) watch = void clearInterval(watch);
  };

  return {
    async enter(webhookId, accountId) {
      const lane = laneOf(webhookId, accountId);
      judge(lane);
      if (lane.waiting.length === 0 && isOpen(lane)) return start(lane);
      if (lane.slow || lane.waiting.length >= 2 * lane.width) return 'full';
      return new Promise((resolve) => {
        lanes.set(webhookId, lane);
        lane.waiting.push(resolve);
        setCrowded(lane);
      });
    },
    full() {
      const ids: string[] = [];
      for (const lane of slow) {
        if (ids.length >= mostFull) break;
        if (!isOpen(lane)) ids.push(lane.webhookId);
      }
      return ids;
    },
    room(webhookId, accountId) {
      const lane = laneOf(webhookId, accountId);
      const { own, all } = spaceOf(lane);
      return Math.max(0, Math.min(own - lane.waiting.length, all));
    },
  };
}
