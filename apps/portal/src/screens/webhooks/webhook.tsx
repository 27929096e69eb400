import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useParams } from 'wouter';
import type { ShownWebhook } from '../../api/schemas.js';
import { ButtonLink } from '../../components/button.js';
import { FilterProblems } from '../../components/filter-problems.js';
import { QueryView } from '../../components/query-view.js';
import { Skeleton } from '../../components/states.js';
import { Tabs } from '../../components/tabs.js';
import { Untrusted } from '../../components/untrusted.js';
import { WebhookBadge } from '../../labels/webhook-badge.js';
import { Page } from '../../layout/page.js';
import { choiceFilter, useFilters } from '../../resources/filters.js';
import { type RangeName, rangeNames } from '../../resources/statistics.js';
import { useApi, useHasScope } from '../../session/session-context.js';
import { Activity } from '../webhook/activity.js';
import { MissingWebhook } from '../webhook/missing-webhook.js';
import { PauseNotice } from '../webhook/pause-notice.js';
import { Settings } from '../webhook/settings.js';
import { webhookQuery } from '../webhook/webhook-query.js';
import { Changes } from './changes.js';
import '../webhook-form/webhook-form.css';
import '../webhook/webhook.css';

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
  const { values, problems, change, clear } = useFilters(parsers);
  const tab = values.tab ?? 'activity';
  const isMissing = query.error?.kind === 'missing';
  const webhook = isMissing ? undefined : query.data;
  return (
    <Page
      title={webhook?.name ?? 'Webhook'}
      subtitle={webhook && <Subtitle webhook={webhook} />}
      actions={webhook && <Actions id={id} />}
    >
      <FilterProblems problems={problems} onClear={clear} />
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
