import { Link } from 'wouter';
import { EmptyState } from '../../components/states.js';
import { type Column, Table } from '../../components/table.js';
import { Untrusted } from '../../components/untrusted.js';
import { WebhookLink } from '../../components/webhook-link.js';
import { DeliveryBadge } from '../../labels/delivery-states.js';
import { failureLabel } from '../../resources/errors.js';
import { eventLabel } from '../../resources/events.js';
import { type MessageDelivery, payloadStatus, type Track } from '../messages/timeline.js';

type Callback = { delivery: MessageDelivery; event: Track['event'] };

const callbackColumns: Column<Callback>[] = [
  {
    header: 'Callback',
    isRowHeader: true,
    cell: ({ delivery, event }) => (
      <Link href={`/deliveries/${delivery.id}`}>
        {eventLabel(event.event)} <Untrusted text={payloadStatus(event) ?? ''} />
      </Link>
    ),
  },
  { header: 'State', cell: ({ delivery }) => <DeliveryBadge state={delivery.state} /> },
  { header: 'Result', cell: ({ delivery }) => <Untrusted text={resultOf(delivery)} /> },
  { header: 'Webhook', cell: ({ delivery }) => <WebhookLink id={delivery.webhook_id} /> },
  { header: 'Attempts', align: 'end', cell: ({ delivery }) => delivery.attempt_count },
];

const sortOrder = { failed: 0, pending: 1, skipped: 2, delivered: 3 };

/** The deliveries of a message. Failed ones come first, then pending ones. */
export function Callbacks({ tracks }: { tracks: readonly Track[] }) {
  const rows = tracks.flatMap(({ delivery, event }): Callback[] => (delivery ? [{ delivery, event }] : []));
  if (rows.length === 0) {
    return (
      <EmptyState title="There are no callbacks.">
        <p>
          {tracks.some(({ event }) => event.state === 'routed')
            ? 'The events of this message went to webhooks that this session cannot see.'
            : 'No webhook is subscribed to the events of this message.'}
        </p>
      </EmptyState>
    );
  }
  rows.sort((a, b) => sortOrder[a.delivery.state] - sortOrder[b.delivery.state]);
  return (
    <div className="whole-words">
      <Table caption="List of callbacks" columns={callbackColumns} rows={rows} rowKey={({ delivery }) => delivery.id} />
    </div>
  );
}

function resultOf(delivery: MessageDelivery): string {
  if (delivery.error !== null || delivery.reason !== null) return failureLabel(delivery);
  return delivery.response_code === null ? 'No attempt yet' : `Status ${delivery.response_code}`;
}
