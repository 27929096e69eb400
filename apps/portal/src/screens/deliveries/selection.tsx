import { useState } from 'react';
import type { Delivery } from '../../api/schemas.js';
import { Button } from '../../components/button.js';
import { formatCount } from '../../text/format.js';
import { ResendDialog } from './resend-dialog.js';

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

/** The actions on the selected deliveries. */
export function SelectionBar({ rows, selection }: { rows: readonly Delivery[]; selection: Selection }) {
  const [isOpen, setOpen] = useState(false);
  const { chosen } = selection;
  const close = () => {
    setOpen(false);
    selection.clear();
  };
  return (
    <div className="selection-bar" role="group" aria-label="Selected deliveries">
      <label className="check">
        <input
          type="checkbox"
          checked={rows.length > 0 && rows.every(({ id }) => selection.has(id))}
          disabled={rows.length === 0}
          onChange={({ target }) => selection.setChosen(rows, target.checked)}
        />
        Select this page
      </label>
      <span role="status">{chosen.length > 0 && `${formatCount(chosen.length)} selected`}</span>
      {chosen.length > 0 && (
        <>
          <Button onClick={() => setOpen(true)}>Send again</Button>
          <Button variant="quiet" onClick={selection.clear}>
            Clear selection
          </Button>
        </>
      )}
      {isOpen && <ResendDialog deliveries={chosen} onCancel={() => setOpen(false)} onDone={close} />}
    </div>
  );
}
