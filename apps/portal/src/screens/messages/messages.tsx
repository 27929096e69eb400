import { Link } from 'wouter';
import { unwrap } from '../../api/client.js';
import type { Delivery } from '../../api/schemas.js';
import { Pager } from '../../components/pager.js';
import { PhoneNumber } from '../../components/phone-number.js';
import { QueryView } from '../../components/query-view.js';
import { EmptyState, Skeleton } from '../../components/states.js';
import { type Column, Table } from '../../components/table.js';
import { Time } from '../../components/text.js';
import { Untrusted } from '../../components/untrusted.js';
import { DeliveryBadge } from '../../labels/delivery-states.js';
import { useCursorPages } from '../../resources/requests.js';
import { useApi } from '../../session/session-context.js';

type MessageRow = { id: string; deliveries: Delivery[] };

const perPage = 50;

const messageColumns: Column<MessageRow>[] = [
  {
    header: 'Message',
    isRowHeader: true,
    cell: ({ id }) => (
      <Link href={`/messages?id=${encodeURIComponent(id)}`} className="code">
        <Untrusted text={id} />
      </Link>
    ),
  },
  { header: 'Newest callback', cell: ({ deliveries: [newest] }) => newest && <Time value={newest.created_at} /> },
  { header: 'States', cell: ({ deliveries }) => <States deliveries={deliveries} /> },
];

/** The messages of a phone number. Each page of deliveries is one page of messages. */
export function NumberResults({ mobile }: { mobile: string }) {
  const api = useApi();
  const pages = useCursorPages({
    key: ['deliveries', 'of-number', mobile],
    fetchPage: (cursor, signal) => {
      const query = { 'filter[mobile]': mobile, per_page: perPage, ...(cursor === undefined ? {} : { cursor }) };
      return unwrap(api.GET('/developer/deliveries', { params: { query }, signal }));
    },
  });
  return (
    <section aria-labelledby="messages">
      <div className="section-header">
        <h2 id="messages">
          Messages of <PhoneNumber number={mobile} />
        </h2>
      </div>
      <QueryView query={pages.query} skeleton={<Skeleton height="20rem" />}>
        {({ data }) =>
          data.length === 0 ? (
            <NoMessages mobile={mobile} />
          ) : (
            <>
              <div className="whole-words">
                <Table caption="List of messages" columns={messageColumns} rows={messagesOf(data)} rowKey={({ id }) => id} />
              </div>
              <Pager label="messages" {...pages} />
            </>
          )
        }
      </QueryView>
    </section>
  );
}

/** The messages of deliveries, in the order of their newest delivery. */
function messagesOf(deliveries: readonly Delivery[]): MessageRow[] {
  const rows = new Map<string, Delivery[]>();
  for (const delivery of deliveries) {
    if (delivery.message_id === null) continue;
    rows.set(delivery.message_id, [...(rows.get(delivery.message_id) ?? []), delivery]);
  }
  return [...rows].map(([id, ofMessage]) => ({ id, deliveries: ofMessage }));
}

function States({ deliveries }: { deliveries: readonly Delivery[] }) {
  return (
    <span className="message-states">
      {[...new Set(deliveries.map(({ state }) => state))].map((state) => (
        <DeliveryBadge state={state} key={state} />
      ))}
    </span>
  );
}

/** Suggests the other form of the number: platforms write numbers with or without a plus sign. */
function NoMessages({ mobile }: { mobile: string }) {
  const other = mobile.startsWith('+') ? mobile.slice(1) : `+${mobile}`;
  return (
    <EmptyState title="There are no callbacks for this number.">
      <p>Enter the number as it is in the events, with its country code.</p>
      <p>
        <Link href={`/messages?mobile=${encodeURIComponent(other)}`}>
          Search {mobile.startsWith('+') ? 'without' : 'with'} a plus sign
        </Link>{' '}
        or <Link href={`/messages?id=${encodeURIComponent(mobile)}`}>search for a message with this id</Link>.
      </p>
    </EmptyState>
  );
}
