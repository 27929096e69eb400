import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { AccountStatistics, Webhook } from '../../api/schemas.js';
import { Sparkline } from '../../chart/sparkline.js';
import { type Column, Table } from '../../components/table.js';
import { Untrusted } from '../../components/untrusted.js';
import { WebhookBadge } from '../../labels/webhook-badge.js';
import { webhookHealthQuery } from '../../resources/statistics.js';
import { useApi } from '../../session/session-context.js';
import { formatCount, formatShare } from '../../text/numbers.js';
import { RestoreButton } from './restore-button.js';

type Health = AccountStatistics['webhooks'][number];

/** Webhooks with their state and their statistics of the last 24 hours. */
export function WebhookTable({ webhooks }: { webhooks: readonly Webhook[] }) {
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
    { header: 'Last 24 hours', isExtra: true, cell: (webhook) => <HealthCell health={healthOf(webhook)} /> },
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

function HealthCell({ health }: { health: Health | undefined }) {
  const delivered = health?.delivered ?? 0;
  const failed = health?.failed ?? 0;
  return (
    <Sparkline
      label={`${formatCount(delivered)} delivered, ${formatCount(failed)} failed`}
      delivered={health?.buckets.map((bucket) => bucket.delivered) ?? []}
      failed={health?.buckets.map((bucket) => bucket.failed) ?? []}
    />
  );
}
