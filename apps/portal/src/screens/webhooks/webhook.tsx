import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useParams } from 'wouter';
import { unwrap } from '../../api/client.js';
import type { ShownWebhook } from '../../api/schemas.js';
import { Button, ButtonLink } from '../../components/button.js';
import { EmptyState, QueryView, Skeleton } from '../../components/states.js';
import { Time, Untrusted } from '../../components/text.js';
import { Page, Tabs } from '../../layout/page.js';
import { choiceFilter, useFilters } from '../../resources/filters.js';
import { useAction } from '../../resources/requests.js';
import { type RangeName, rangeNames } from '../../resources/statistics.js';
import { useWebhookRestore, WebhookBadge, webhookKeys, webhookQuery } from '../../resources/webhooks.js';
import { useApi, useHasScope } from '../../session/session.js';
import { Activity } from './activity.js';
import { Changes } from './changes.js';
import { Settings } from './settings.js';
import './webhooks.css';

const tabs = [
  { name: 'activity', label: 'Activity' },
  { name: 'test', label: 'Test call' },
  { name: 'settings', label: 'Settings' },
  { name: 'changes', label: 'Changes' },
] as const;
type TabName = (typeof tabs)[number]['name'];

const parsers = { tab: choiceFilter(tabs.map(({ name }) => name)), range: choiceFilter(rangeNames) };

// Each screen has a size budget (scripts/budget.mjs), and this tab contains the advice for every error.
const TestCallPanel = lazy(() => import('./test-call.js'));

/** One webhook: its activity, its settings, and its changes. */
export default function WebhookScreen() {
  const { id = '' } = useParams<{ id: string }>();
  const query = useQuery(webhookQuery(useApi(), id));
  const filters = useFilters(parsers);
  const { values, change } = filters;
  const tab = values.tab ?? 'activity';
  const isMissing = query.error?.kind === 'missing';
  const webhook = isMissing ? undefined : query.data;
  return (
    <Page
      title={webhook?.name ?? 'Webhook'}
      subtitle={webhook && <Subtitle webhook={webhook} />}
      actions={webhook && <Actions id={id} />}
      filters={filters}
    >
      {isMissing ? (
        <MissingWebhook id={id} />
      ) : (
        <QueryView query={query} skeleton={<Skeleton height="40rem" />}>
          {(shown) => (
            <>
              <PauseNotice webhook={shown} />
              <Tabs label="Parts of this webhook" tabs={tabs} current={tab} />
              <TabContent
                webhook={shown}
                tab={tab}
                range={values.range ?? '24h'}
                onRange={(range) => change({ range })}
              />
            </>
          )}
        </QueryView>
      )}
    </Page>
  );
}

type TabContentProps = { webhook: ShownWebhook; tab: TabName; range: RangeName; onRange: (range: RangeName) => void };

function TabContent({ webhook, tab, range, onRange }: TabContentProps) {
  if (tab === 'test') {
    return (
      <Suspense fallback={<Skeleton height="20rem" />}>
        <TestCallPanel id={webhook.id} />
      </Suspense>
    );
  }
  if (tab === 'settings') return <Settings webhook={webhook} />;
  if (tab === 'changes') return <Changes id={webhook.id} />;
  return <Activity id={webhook.id} range={range} onRange={onRange} />;
}

function Subtitle({ webhook }: { webhook: ShownWebhook }) {
  return (
    <span className="webhook-subtitle">
      <WebhookBadge webhook={webhook} />
      <span className="code">
        <Untrusted text={webhook.uri} />
      </span>
    </span>
  );
}

function Actions({ id }: { id: string }) {
  const canWrite = useHasScope('write');
  const canReplay = useHasScope('replay');
  return (
    <>
      {canReplay && <ButtonLink href={`/replays?new=1&webhook_id=${id}`}>Replay</ButtonLink>}
      {canWrite && <ButtonLink href={`/webhooks/${id}/edit`}>Edit</ButtonLink>}
    </>
  );
}

const reasons = {
  failing: 'All its callbacks failed for a long time.',
  gone: 'It returned the status 410: this address is permanently gone.',
};

/** Shows why a webhook is paused, and ends the pause on request. */
function PauseNotice({ webhook: { id, paused } }: { webhook: ShownWebhook }) {
  const api = useApi();
  const canWrite = useHasScope('write');
  const resume = useAction({
    send: () => unwrap(api.POST('/developer/webhooks/{id}/resume', { params: { path: { id } } })),
    done: 'The webhook was resumed. Its pending deliveries continue within seconds.',
    changes: webhookKeys(id),
  });
  if (!paused) return null;
  return (
    <div className="notice" role="status">
      <p>
        <strong>Paused</strong> since <Time value={paused.since} />. {reasons[paused.reason]} Its deliveries stay
        pending until it is resumed. Repair the receiver first, and check it with a test call.
      </p>
      {canWrite && (
        <Button isBusy={resume.isPending} onClick={() => resume.mutate()}>
          Resume
        </Button>
      )}
    </div>
  );
}

/** Shows that there is no such webhook. If it is one of the newest 100 deleted webhooks, it can be restored. */
function MissingWebhook({ id }: { id: string }) {
  const api = useApi();
  const canWrite = useHasScope('write');
  const deleted = useQuery({
    queryKey: ['webhooks', 'deleted', id],
    queryFn: async ({ signal }) => {
      const query = { 'filter[trashed]': 'only', per_page: 100 } as const;
      const { data } = await unwrap(api.GET('/developer/webhooks', { params: { query }, signal }));
      return data.find((webhook) => webhook.id === id.toLowerCase()) ?? null;
    },
  });
  if (deleted.isPending) return <Skeleton height="8rem" />;
  if (!deleted.data) {
    return (
      <EmptyState title="There is no such webhook.">
        <p>It may have been deleted, or it may belong to another account.</p>
        <ButtonLink href="/webhooks?deleted=only">Deleted webhooks</ButtonLink>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="This webhook is deleted.">
      <p>
        <Untrusted text={deleted.data.name} />
      </p>
      <p>Its deliveries are skipped. A restored webhook is active and keeps its subscriptions.</p>
      {canWrite && <RestoreButton id={deleted.data.id} />}
    </EmptyState>
  );
}

/** A button that restores the deleted webhook of this screen. */
function RestoreButton({ id }: { id: string }) {
  const restore = useWebhookRestore(id, 'The webhook was restored and is active.');
  return (
    <Button variant="primary" isBusy={restore.isPending} onClick={() => restore.mutate()}>
      Restore
    </Button>
  );
}
