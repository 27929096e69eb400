import { useState } from 'react';
import type { Delivery } from '../../api/schemas.js';
import { Button } from '../../components/button.js';
import { formatCount } from '../../text/numbers.js';
import { ResendDialog } from './resend-dialog.js';
import type { Selection } from './use-selection.js';

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
