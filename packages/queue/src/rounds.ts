/** An event that waits in an ingress queue, and whose it is; empty where it does not say so. */
export type WaitingEvent = { id: string; accountId: string; webhookId: string };

/** Gives events that wait their places; the lowest is taken first. */
export type Rounds = {
  /** `first`: the lowest place that is still waited in, null when there is none. Answers a place for each id. */
  place(events: WaitingEvent[], first: number | null): Map<string, number>;
};

// A round has so many places: one for each webhook that an account begins with in it.
const roundSize = 8;
// What the engines hold exactly.
const lastPlace = 2_000_000_000;
const forgetBeyond = 1_000;

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
  const placeOf = ({ accountId, webhookId }: WaitingEvent, first: number) => {
    const key = `${accountId} ${webhookId}`;
    const last = lasts.get(key) ?? 0;
    const before = begun.get(accountId) ?? 0;
    const goesOn = last >= first;
    const place = Math.min(goesOn ? last + roundSize : Math.max(first, before + 1), lastPlace);
    lasts.set(key, place);
    if (!goesOn) begun.set(accountId, place);
    return place;
  };
  return {
    place(events, lowest) {
      if (lowest === null) for (const places of [lasts, begun]) places.clear();
      const first = Math.max(1, lowest ?? 1);
      forgetBefore(first);
      return new Map(events.map((event) => [event.id, placeOf(event, first)]));
    },
  };
}
