import { useState } from 'react';
import { Link } from 'wouter';
import { useSearch } from 'wouter/use-browser-location';
import type { Delivery } from '../../api/schemas.js';
import { Button, ButtonLink } from '../../components/button.js';
import { EmptyState, QueryView, Skeleton, useIsOnline } from '../../components/states.js';
import { type Column, Pager, Table } from '../../components/table.js';
import { PhoneNumber, Time, Untrusted } from '../../components/text.js';
import { Page } from '../../layout/page.js';
import { DeliveryBadge, MessageLink, useDeliveryPages } from '../../resources/deliveries.js';
import { failureLabel } from '../../resources/errors.js';
import { eventLabel } from '../../resources/events.js';
import { useFilters } from '../../resources/filters.js';
import { type CursorPages } from '../../resources/requests.js';
import { WebhookLink } from '../../resources/webhooks.js';
import { usePreferences } from '../../session/preferences.js';
import { useHasScope } from '../../session/session.js';
import { formatCount } from '../../text/format.js';
import { printable } from '../../text/untrusted.js';
import { DownloadButton } from './download.js';
import { deliveryFilterParsers, FilterForm, toQuery } from './filters.js';
import { type Selection, SelectionBar, useSelection } from './selection.js';
import './deliveries.css';

const perPage = 25;
const liveMs = 3_000;

/** The delivery log: filters, live updates, download, and resends. */
export default function DeliveriesScreen() {
  const isOnline = useIsOnline();
  const filters = useFilters(deliveryFilterParsers);
  const query = toQuery(filters.values);
  const key = JSON.stringify(query);
  const [wantsLive, setLive] = useState(false);
  const isFirstPage = !new URLSearchParams(useSearch()).has('cursor');
  const isLive = wantsLive && isFirstPage;
  // The list is refetched only while the browser tab is visible.
  const pages = useDeliveryPages({ ...query, per_page: perPage }, isLive && liveMs);
  const canResend = useHasScope('replay');
  const selection = useSelection(key);
  const toggleLive = () => {
    setLive(!isLive);
    // Live updates need the first page.
    if (!isFirstPage) filters.change({});
  };
  const actions = (
    <>
      <Button aria-pressed={isLive} onClick={toggleLive}>
        Live
      </Button>
      <DownloadButton query={query} />
    </>
  );
  return (
    <Page
      title="Deliveries"
      subtitle="The deliveries to your webhooks, newest first."
      actions={actions}
      filters={filters}
    >
      <FilterForm filters={filters} />
      <QueryView query={pages.query} skeleton={<Skeleton height="40rem" />}>
        {({ data }) => (
          <>
            {isLive && !pages.query.isPlaceholderData && <LiveStatus key={key} rows={data} isOffline={!isOnline} />}
            <DeliveryList
              rows={data}
              pages={pages}
              selection={canResend ? selection : undefined}
              onClear={key === '{}' ? undefined : filters.clear}
            />
          </>
        )}
      </QueryView>
    </Page>
  );
}

type LiveStatusProps = { rows: readonly Delivery[]; isOffline: boolean };

/** Counts the deliveries that have newly appeared in `rows` since the first render, and announces the count. */
function LiveStatus({ rows, isOffline }: LiveStatusProps) {
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

type DeliveryListProps = {
  rows: readonly Delivery[];
  pages: CursorPages<Delivery>;
  /** Undefined if the session may not resend. */
  selection: Selection | undefined;
  /** Undefined if there are no filters. */
  onClear: (() => void) | undefined;
};

/** One page of deliveries, with buttons to other pages. */
function DeliveryList({ rows, pages, selection, onClear }: DeliveryListProps) {
  const { query, goFirst, goNext, goPrevious } = pages;
  return (
    <>
      {selection && <SelectionBar rows={rows} selection={selection} />}
      {rows.length > 0 ? (
        <div className="whole-words">
          <Table
            caption="Deliveries"
            columns={columnsFor(selection)}
            rows={rows}
            rowKey={({ id }) => id}
            isBusy={query.isPlaceholderData}
          />
        </div>
      ) : (
        <NoRows goNext={goNext} onClear={onClear} />
      )}
      <Pager label="deliveries" goFirst={goFirst} goPrevious={goPrevious} goNext={goNext} />
    </>
  );
}

function NoRows({ goNext, onClear }: { goNext: (() => void) | undefined; onClear: (() => void) | undefined }) {
  if (goNext) {
    return (
      <EmptyState title="No match in this part of the log.">
        <p>The log is long, so it is searched in parts.</p>
        <Button onClick={goNext}>Search the next part</Button>
      </EmptyState>
    );
  }
  if (onClear) {
    return (
      <EmptyState title="No delivery matches the filters.">
        <p>A delivery must match all of them. Numbers and message ids must be complete.</p>
        <Button onClick={onClear}>Clear all filters</Button>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="There are no deliveries yet.">
      <p>They appear here when an event arrives for one of your webhooks.</p>
      <ButtonLink href="/webhooks">Go to the webhooks</ButtonLink>
    </EmptyState>
  );
}

/** The columns of the list. With a selection, the first one has checkboxes. */
const columnsFor = (selection: Selection | undefined): Column<Delivery>[] => [
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
