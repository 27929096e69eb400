import { useState } from 'react';
import type { Delivery } from '../../api/schemas.js';
import { usePreferences } from '../../session/preferences.js';
import { formatCount } from '../../text/numbers.js';

type LiveStatusProps = { rows: readonly Delivery[]; isOffline: boolean };

/** Counts the deliveries that have newly appeared in `rows` since the first render, and announces the count. */
export function LiveStatus({ rows, isOffline }: LiveStatusProps) {
  const { time } = usePreferences();
  const [startedAt] = useState(() => new Date().toISOString());
  const [seen, setSeen] = useState({ rows, added: 0 });
  if (seen.rows !== rows) setSeen({ rows, added: seen.added + countNew(seen.rows, rows) });
  const count = seen.added === 1 ? '1 new delivery' : `${formatCount(seen.added)} new deliveries`;
  return (
    <p className="live-status" role="status">
      {isOffline ? 'Live updates wait for the network.' : `Live: ${count} since ${time.full(startedAt)}.`}
    </p>
  );
}

/** Counts the new rows. Ids are ordered by time. An older row that moves up from the next page is not new. */
function countNew(before: readonly Delivery[], rows: readonly Delivery[]): number {
  const known = new Set(before.map(({ id }) => id));
  const oldest = before.at(-1)?.id ?? '';
  return rows.filter(({ id }) => !known.has(id) && id > oldest).length;
}
