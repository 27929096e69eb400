/** An event that waits in an ingress queue, and whose it is; empty where it does not say so. */
export type WaitingEvent = { id: string; accountId: string; webhookId: string };

/** A place for each id; the lowest is taken first. Nobody knows of it until it is kept. */
export type Plan = { places: Map<string, number>; keep(): void };

/** Gives events that wait their places. */
export type Rounds = {
  /** `first`: the lowest place that is still waited in, null when there is none. */
  plan(events: WaitingEvent[], first: number | null): Plan;
};

// A round has so many places: one for each webhook that an account begins with in it.
const roundSize = 8;
// What the engines hold exactly.
const lastPlace = 2_000_000_000;
const forgetBeyond = 1_000;
// Ids are UUIDs; what came instead of one may be anything.
const longestName = 64;

/**
 * Events in rounds, like hands of cards: each webhook that is named has one in a round, and so has each account with
 * what names no webhook. So whoever has little waits for one of each flood and not for all of it. In the same round an
 * account begins with eight webhooks at most, or one with a flood over thousands would still be before all others.
 * Within a webhook the order stays. Several workers that do this side by side each count for themselves, so that a flood
 * has as many in a round as there are workers.
 */
export function openRounds(): Rounds {
  const lasts = new Map<string, number>();
  const begun = new Map<string, number>();
  let forgetAt = forgetBeyond;

  const forgetBefore = (first: number) => {
    if (lasts.size < forgetAt) return;
    for (const places of [lasts, begun]) for (const [key, place] of places) if (place < first) places.delete(key);
    forgetAt = lasts.size * 2 + forgetBeyond;
  };
  return {
    plan(events, lowest) {
      if (lowest === null) for (const places of [lasts, begun]) places.clear();
      const first = Math.max(1, lowest ?? 1);
      forgetBefore(first);
      const [newLasts, newBegun] = [new Map<string, number>(), new Map<string, number>()];
      const placeOf = ({ accountId, webhookId }: WaitingEvent) => {
        const account = accountId.slice(0, longestName);
        const key = `${account} ${webhookId.slice(0, longestName)}`;
        const last = newLasts.get(key) ?? lasts.get(key) ?? 0;
        const before = newBegun.get(account) ?? begun.get(account) ?? 0;
        const goesOn = last >= first;
        const place = Math.min(goesOn ? last + roundSize : Math.max(first, before + 1), lastPlace);
        newLasts.set(key, place);
        if (!goesOn) newBegun.set(account, place);
        return place;
      };
      return {
        places: new Map(events.map((event) => [event.id, placeOf(event)])),
        keep() {
          for (const [key, place] of newLasts) lasts.set(key, place);
          for (const [key, place] of newBegun) begun.set(key, place);
        },
      };
    },
  };
}
