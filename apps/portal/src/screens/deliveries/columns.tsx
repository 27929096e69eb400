import { Link } from 'wouter';
import type { Delivery } from '../../api/schemas.js';
import { PhoneNumber } from '../../components/phone-number.js';
import type { Column } from '../../components/table.js';
import { Time } from '../../components/text.js';
import { Untrusted } from '../../components/untrusted.js';
import { WebhookLink } from '../../components/webhook-link.js';
import { DeliveryBadge } from '../../labels/delivery-states.js';
import { failureLabel } from '../../resources/errors.js';
import { eventLabel } from '../../resources/events.js';
import { printable } from '../../text/untrusted.js';
import type { Selection } from './use-selection.js';

/** The columns of the list. With a selection, the first one has checkboxes. */
export const columnsFor = (selection: Selection | undefined): Column<Delivery>[] => [
  ...(selection ? [selectColumn(selection)] : []),
  {
    header: 'Delivery',
    isRowHeader: true,
    cell: (delivery) => (
      <div className="lines">
        <Link href={`/deliveries/${delivery.id}`}>
          <Time value={delivery.created_at} />
        </Link>
        <span className="line">
          <DeliveryBadge state={delivery.state} />
          <span className="hint">
            <Result delivery={delivery} />
          </span>
        </span>
      </div>
    ),
  },
  {
    header: 'Message',
    cell: ({ message_id, event }) => (
      <div className="lines">
        <MessageLink id={message_id} />
        <span className="hint">{eventLabel(event)}</span>
      </div>
    ),
  },
  { header: 'Number', cell: ({ mobile }) => <PhoneNumber number={mobile} /> },
  { header: 'Webhook', cell: ({ webhook_id }) => <WebhookLink id={webhook_id} /> },
  { header: 'Attempts', align: 'end', cell: ({ attempt_count }) => attempt_count },
];

const selectColumn = (selection: Selection): Column<Delivery> => ({
  header: 'Select',
  cell: (delivery) => (
    <input
      type="checkbox"
      aria-label={`Select the delivery of ${printable(delivery.message_id ?? delivery.id)}`}
      checked={selection.has(delivery.id)}
      onChange={({ target }) => selection.setChosen([delivery], target.checked)}
    />
  ),
});

/** Why the delivery failed or was skipped, else the status of the newest response, else why there is none. */
function Result({ delivery }: { delivery: Delivery }) {
  if (delivery.error !== null || delivery.reason !== null) return <Untrusted text={failureLabel(delivery)} />;
  if (delivery.response_code !== null) return `Status ${delivery.response_code}`;
  return delivery.paused ? 'Webhook paused' : 'No attempt yet';
}

function MessageLink({ id }: { id: string | null }) {
  if (id === null) return <span className="hint">–</span>;
  return (
    <Link href={`/messages?id=${encodeURIComponent(id)}`} className="code message-link">
      <Untrusted text={id} />
    </Link>
  );
}
