import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { unwrap } from '../../api/client.js';
import type { Delivery } from '../../api/schemas.js';
import { PhoneNumber } from '../../components/phone-number.js';
import { QueryView } from '../../components/query-view.js';
import { EmptyState, Skeleton } from '../../components/states.js';
import { type Column, Table } from '../../components/table.js';
import { RelativeTime, Time } from '../../components/text.js';
import { DeliveryBadge } from '../../labels/delivery-states.js';
import { failureLabel } from '../../resources/errors.js';
import { eventLabel } from '../../resources/events.js';
import { useApi } from '../../session/session-context.js';

const resultOf = (delivery: Delivery) => {
  if (delivery.error !== null || delivery.state === 'failed') return failureLabel(delivery);
  return delivery.response_code === null ? (delivery.reason ?? '–') : `Status ${delivery.response_code}`;
};

const deliveryColumns: Column<Delivery>[] = [
  {
    header: 'Created',
    isRowHeader: true,
    cell: ({ id, created_at }) => (
      <Link href={`/deliveries/${id}`}>
        <Time value={created_at} />
      </Link>
    ),
  },
  { header: 'State', cell: ({ state }) => <DeliveryBadge state={state} /> },
  { header: 'Last result', cell: resultOf },
  { header: 'Event', isExtra: true, cell: ({ event }) => eventLabel(event) },
  { header: 'Number', isExtra: true, cell: ({ mobile }) => <PhoneNumber number={mobile} /> },
  { header: 'Attempts', align: 'end', isExtra: true, cell: ({ attempt_count }) => attempt_count },
  {
    header: 'Next attempt',
    isExtra: true,
    cell: ({ next_attempt_at: next }) => (next === null ? '–' : <RelativeTime value={next} />),
  },
];

/** The newest deliveries of the webhook. */
export function LastDeliveries({ id }: { id: string }) {
  const api = useApi();
  const query = useQuery({
    queryKey: ['deliveries', 'of-webhook', id],
    queryFn: async ({ signal }) => {
      const filter = { 'filter[webhook_id]': id, per_page: 10 };
      return (await unwrap(api.GET('/developer/deliveries', { params: { query: filter }, signal }))).data;
    },
    refetchInterval: 10_000,
  });
  return (
    <section aria-labelledby="deliveries">
      <div className="section-header">
        <h2 id="deliveries">Last deliveries</h2>
        <Link href={`/deliveries?webhook_id=${id}`}>All deliveries of this webhook</Link>
      </div>
      <QueryView query={query} skeleton={<Skeleton height="16rem" />}>
        {(rows) =>
          rows.length > 0 ? (
            <Table caption="Last deliveries" columns={deliveryColumns} rows={rows} rowKey={(row) => row.id} />
          ) : (
            <EmptyState title="There are no deliveries yet.">
              <p>
                Deliveries appear when an event arrives that the webhook subscribes to. A test call shows whether the
                receiver can be reached.
              </p>
            </EmptyState>
          )
        }
      </QueryView>
    </section>
  );
}
