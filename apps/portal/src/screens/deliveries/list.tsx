import { useState } from 'react';
import { useSearch } from 'wouter/use-browser-location';
import { unwrap } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { FilterProblems } from '../../components/filter-problems.js';
import { QueryView } from '../../components/query-view.js';
import { Skeleton } from '../../components/states.js';
import { useIsOnline } from '../../data/use-is-online.js';
import { Page } from '../../layout/page.js';
import { useFilters } from '../../resources/filters.js';
import { useCursorPages } from '../../resources/requests.js';
import { useApi, useHasScope } from '../../session/session-context.js';
import { deliveryFilterParsers, toQuery } from './delivery-filters.js';
import { DeliveryList } from './delivery-list.js';
import { DownloadButton } from './download-button.js';
import { FilterForm } from './filters.js';
import { LiveStatus } from './live-status.js';
import { useSelection } from './use-selection.js';
import './deliveries.css';

const perPage = 25;
const liveMs = 3_000;

/** The delivery log: filters, live updates, download, and resends. */
export default function DeliveriesScreen() {
  const api = useApi();
  const isOnline = useIsOnline();
  const filters = useFilters(deliveryFilterParsers);
  const query = toQuery(filters.values);
  const key = JSON.stringify(query);
  const [wantsLive, setLive] = useState(false);
  const isFirstPage = !new URLSearchParams(useSearch()).has('cursor');
  const isLive = wantsLive && isFirstPage;
  const pages = useCursorPages({
    key: ['deliveries', 'list', query],
    fetchPage: (cursor, signal) => {
      const parameters = { ...query, per_page: perPage, ...(cursor === undefined ? {} : { cursor }) };
      return unwrap(api.GET('/developer/deliveries', { params: { query: parameters }, signal }));
    },
    // The list is refetched only while the browser tab is visible.
    refetchMs: isLive && liveMs,
  });
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
    <Page title="Deliveries" subtitle="The deliveries to your webhooks, newest first." actions={actions}>
      <FilterProblems problems={filters.problems} onClear={filters.clear} />
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
