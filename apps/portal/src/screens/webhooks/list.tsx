import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { useSearch } from 'wouter/use-browser-location';
import { unwrap } from '../../api/client.js';
import { ButtonLink } from '../../components/button.js';
import { FilterProblems } from '../../components/filter-problems.js';
import { Pager } from '../../components/pager.js';
import { QueryView } from '../../components/query-view.js';
import { EmptyState, Skeleton } from '../../components/states.js';
import { Page } from '../../layout/page.js';
import { useFilters } from '../../resources/filters.js';
import { useApi, useHasScope, useSeesAllWebhooks } from '../../session/session-context.js';
import { formatCount } from '../../text/numbers.js';
import { webhookFilterParsers, type WebhookListFilters } from './webhook-filter-parsers.js';
import { WebhookFilters } from './webhook-filters.js';
import { WebhookTable } from './webhook-table.js';
import './webhooks.css';

/** The list of webhooks, with the statistics of each. */
export default function WebhooksScreen() {
  const filters = useFilters(webhookFilterParsers);
  const canWrite = useHasScope('write');
  const canCreate = useSeesAllWebhooks() && canWrite;
  const { query, goTo } = useWebhookPage(filters.values);
  const create = canCreate && (
    <ButtonLink href="/webhooks/new" variant="primary">
      New webhook
    </ButtonLink>
  );
  return (
    <Page title="Webhooks" actions={create}>
      <FilterProblems problems={filters.problems} onClear={filters.clear} />
      <WebhookFilters filters={filters} />
      <QueryView query={query} skeleton={<Skeleton height="24rem" />}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <NoWebhooks filters={filters} canCreate={canCreate} />
          ) : (
            <>
              <WebhookTable webhooks={data} />
              <Pager
                label="webhooks"
                goPrevious={goTo(meta.current_page - 1, meta.last_page)}
                goNext={goTo(meta.current_page + 1, meta.last_page)}
              >
                <span className="hint">
                  {formatCount(meta.from ?? 0)}–{formatCount(meta.to ?? 0)} of {formatCount(meta.total)}
                </span>
              </Pager>
            </>
          )
        }
      </QueryView>
    </Page>
  );
}

/** The page of the list that the URL selects. */
function useWebhookPage({ name, deleted }: WebhookListFilters['values']) {
  const api = useApi();
  const parameters = new URLSearchParams(useSearch());
  const [path, navigate] = useLocation();
  const page = Math.max(1, Number(parameters.get('page')) || 1);
  const query = useQuery({
    queryKey: ['webhooks', 'list', { name, deleted, page }],
    queryFn: ({ signal }) => {
      const filter = {
        ...(name === undefined ? {} : { 'filter[name]': name }),
        ...(deleted === undefined ? {} : { 'filter[trashed]': deleted }),
      };
      return unwrap(api.GET('/developer/webhooks', { params: { query: { page, ...filter } }, signal }));
    },
    placeholderData: keepPreviousData,
  });
  const goTo = (wanted: number, last: number) => {
    if (wanted < 1 || wanted > last) return undefined;
    return () => {
      parameters.set('page', String(wanted));
      navigate(`${path}?${parameters.toString()}`);
    };
  };
  return { query, goTo };
}

function NoWebhooks({ filters, canCreate }: { filters: WebhookListFilters; canCreate: boolean }) {
  if (Object.keys(filters.texts).length > 0) return <EmptyState title="No webhook matches the filters." />;
  return (
    <EmptyState title="There are no webhooks yet.">
      <p>A webhook is your URL that receives a callback when the status of a message changes or a message arrives.</p>
      {canCreate && <ButtonLink href="/webhooks/new">Create a webhook</ButtonLink>}
    </EmptyState>
  );
}
