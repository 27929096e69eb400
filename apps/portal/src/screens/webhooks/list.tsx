import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { useSearch } from 'wouter/use-browser-location';
import { unwrap } from '../../api/client.js';
import type { Webhook } from '../../api/schemas.js';
import { Button, ButtonLink } from '../../components/button.js';
import { SearchField, SelectField } from '../../components/fields.js';
import { EmptyState, QueryView, Skeleton } from '../../components/states.js';
import { type Column, Pager, Table } from '../../components/table.js';
import { Untrusted } from '../../components/text.js';
import { Page } from '../../layout/page.js';
import { choiceFilter, type Filters, textFilter, useFilters } from '../../resources/filters.js';
import { webhookHealthQuery } from '../../resources/statistics.js';
import { useWebhookRestore, WebhookBadge, WebhookSparkline } from '../../resources/webhooks.js';
import { useApi, useHasScope, useSeesAllWebhooks } from '../../session/session.js';
import { formatCount, formatShare } from '../../text/format.js';
import { printable } from '../../text/untrusted.js';
import './webhooks.css';

const parsers = { name: textFilter(), deleted: choiceFilter(['only', 'with']) };

type WebhookListFilters = Filters<typeof parsers>;

/** The list of webhooks, with the statistics of each. */
export default function WebhooksScreen() {
  const filters = useFilters(parsers);
  const canWrite = useHasScope('write');
  const canCreate = useSeesAllWebhooks() && canWrite;
  const { query, goTo } = useWebhookPage(filters.values);
  const create = canCreate && (
    <ButtonLink href="/webhooks/new" variant="primary">
      New webhook
    </ButtonLink>
  );
  return (
    <Page title="Webhooks" actions={create} filters={filters}>
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

const deletedChoices = [
  { value: '', label: 'Hide deleted webhooks' },
  { value: 'with', label: 'Show deleted webhooks' },
  { value: 'only', label: 'Only deleted webhooks' },
] as const;

/** The controls of the list's filters, which are in the URL. */
function WebhookFilters({ filters: { texts, values, change } }: { filters: WebhookListFilters }) {
  return (
    <form className="filters" role="search" aria-label="Webhooks" onSubmit={(event) => event.preventDefault()}>
      <SearchField label="Name contains" value={texts.name ?? ''} onSearch={(name) => change({ name })} />
      <SelectField
        label="Deleted"
        value={values.deleted ?? ''}
        onChange={(deleted) => change({ deleted })}
        options={deletedChoices}
      />
    </form>
  );
}

/** Webhooks with their state and their statistics of the last 24 hours. */
function WebhookTable({ webhooks }: { webhooks: readonly Webhook[] }) {
  const api = useApi();
  const notDeleted = webhooks.filter(({ deleted_at }) => deleted_at === undefined);
  const health = useQuery(
    webhookHealthQuery(
      api,
      notDeleted.map(({ id }) => id),
    ),
  );
  const healthOf = ({ id }: Webhook) => health.data?.get(id);
  const columns: Column<Webhook>[] = [
    { header: 'Webhook', isRowHeader: true, cell: (webhook) => <NameCell webhook={webhook} /> },
    { header: 'State', cell: (webhook) => <WebhookBadge webhook={webhook} /> },
    { header: 'Last 24 hours', isExtra: true, cell: (webhook) => <WebhookSparkline counts={healthOf(webhook)} /> },
    {
      header: 'Attempts',
      align: 'end',
      isExtra: true,
      cell: (webhook) => formatCount(healthOf(webhook)?.attempts ?? 0),
    },
    {
      header: 'Succeeded',
      align: 'end',
      cell: (webhook) => formatShare(healthOf(webhook)?.delivered ?? 0, healthOf(webhook)?.attempts ?? 0),
    },
    { header: 'Failed', align: 'end', cell: (webhook) => formatCount(healthOf(webhook)?.failed ?? 0) },
  ];
  return <Table caption="Webhooks" columns={columns} rows={webhooks} rowKey={({ id }) => id} />;
}

function NameCell({ webhook }: { webhook: Webhook }) {
  const name = <Untrusted text={webhook.name} />;
  const isDeleted = webhook.deleted_at !== undefined;
  return (
    <div className="webhook-name">
      {isDeleted ? name : <Link href={`/webhooks/${webhook.id}`}>{name}</Link>}
      <div className="hint code webhook-uri">
        <Untrusted text={webhook.uri} />
      </div>
      {isDeleted && <RestoreButton id={webhook.id} name={webhook.name} />}
    </div>
  );
}

/** A button that restores a deleted webhook. */
function RestoreButton({ id, name }: { id: string; name: string }) {
  const canWrite = useHasScope('write');
  const restore = useWebhookRestore(id, `${printable(name)} was restored and is active.`);
  if (!canWrite) return null;
  return (
    <Button isBusy={restore.isPending} aria-label={`Restore ${printable(name)}`} onClick={() => restore.mutate()}>
      Restore
    </Button>
  );
}
