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
  waiting: ((turn: Turn | 'full') => void)[];
};

const width = { first: 4, least: 2, slow: 10 };
const slowMs = 500;
const mostFull = 1_000;

/**
 * One lane for each webhook, so that a receiver's trouble is its own. A lane starts narrow, widens while its receiver
 * answers fast, and narrows when it does not; slow lanes together get half of all calls in flight, an account three
 * quarters. A fast lane has a waiting room of twice its width, a slow one has none. No timers: a lane is judged when
 * somebody enters or leaves.
 */
export function openLanes({ calls, now = () => performance.now() }: { calls: number; now?: () => number }): Lanes {
  const most = {
    width: Math.max(width.least, Math.floor(calls / 4)),
    slow: Math.max(1, Math.floor(calls / 2)),
    ofAccount: Math.max(1, Math.floor((calls * 3) / 4)),
  };
  const lanes = new Map<string, Lane>();
  const crowded = new Set<Lane>();
  const slow = new Set<Lane>();
  const ofAccount = new Map<string, number>();
  const inFlight = { all: 0, slow: 0 };

  const laneOf = (webhookId: string, accountId: string): Lane => {
    const first = Math.min(width.first, most.width);
    return lanes.get(webhookId) ?? { webhookId, accountId, width: first, slow: false, started: new Map(), waiting: [] };
  };

  /** How many more calls each bound leaves: the lane's own, those that it shares with others like it, and that of all. */
  const spaceOf = (lane: Lane) => {
    const ofSlow = lane.slow ? most.slow - inFlight.slow : Infinity;
    const account = most.ofAccount - (ofAccount.get(lane.accountId) ?? 0);
    return { own: Math.min(lane.width - lane.started.size, ofSlow, account), all: calls - inFlight.all };
  };
  const isOpen = (lane: Lane) => {
    const { own, all } = spaceOf(lane);
    return own > 0 && all > 0;
  };

  const count = (lane: Lane, by: 1 | -1) => {
    inFlight.all += by;
    if (lane.slow) inFlight.slow += by;
    const total = (ofAccount.get(lane.accountId) ?? 0) + by;
    if (total > 0) ofAccount.set(lane.accountId, total);
    else ofAccount.delete(lane.accountId);
  };

  const setSlow = (lane: Lane, isSlow: boolean) => {
    if (lane.slow === isSlow) return;
    lane.slow = isSlow;
    inFlight.slow += isSlow ? lane.started.size : -lane.started.size;
    if (!isSlow) return void slow.delete(lane);
    slow.add(lane);
    for (const admit of lane.waiting.splice(0)) admit('full');
    crowded.delete(lane);
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
        count(lane, -1);
        adapt(lane, result);
        admitWaiting(lane);
        if (lane.started.size + lane.waiting.length === 0 && !lane.slow) lanes.delete(lane.webhookId);
      },
    };
    lanes.set(lane.webhookId, lane);
    lane.started.set(turn, now());
    count(lane, 1);
    return turn;
  };

  /** Whoever waits in the lane that was left goes first, then one of each crowded lane in turn. */
  const admitWaiting = (left: Lane) => {
    for (const lane of [left, ...crowded]) {
      if (inFlight.all >= calls) return;
      if (isOpen(lane)) lane.waiting.shift()?.(start(lane));
      if (lane.waiting.length === 0) crowded.delete(lane);
    }
  };

  return {
    async enter(webhookId, accountId) {
      const lane = laneOf(webhookId, accountId);
      const [oldest] = lane.started.values();
      if (oldest !== undefined && now() - oldest >= slowMs) setSlow(lane, true);
      if (lane.waiting.length === 0 && isOpen(lane)) return start(lane);
      if (lane.slow || lane.waiting.length >= 2 * lane.width) return 'full';
      return new Promise((resolve) => {
        lanes.set(webhookId, lane);
        lane.waiting.push(resolve);
        crowded.add(lane);
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
