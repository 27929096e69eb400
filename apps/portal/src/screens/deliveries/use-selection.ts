import { useState } from 'react';
import type { Delivery } from '../../api/schemas.js';

export type Selection = {
  chosen: readonly Delivery[];
  has: (id: string) => boolean;
  setChosen: (deliveries: readonly Delivery[], isChosen: boolean) => void;
  clear: () => void;
};

/** The deliveries that the user selected, on all pages of a list. A new `key`, for other filters, clears them. */
export function useSelection(key: string): Selection {
  const [state, setState] = useState(() => ({ key, chosen: new Map<string, Delivery>() }));
  if (state.key !== key) setState({ key, chosen: new Map() });
  const setChosen = (deliveries: readonly Delivery[], isChosen: boolean) =>
    setState(({ chosen }) => {
      const next = new Map(chosen);
      for (const delivery of deliveries) {
        if (isChosen) next.set(delivery.id, delivery);
        else next.delete(delivery.id);
      }
      return { key, chosen: next };
    });
  return {
    chosen: [...state.chosen.values()],
    has: (id) => state.chosen.has(id),
    setChosen,
    clear: () => setState({ key, chosen: new Map() }),
  };
}
