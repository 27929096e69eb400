import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { type Api, unwrap } from '../api/client.js';
import type { AccountStatistics, ShownWebhook, Webhook, WebhookPatch } from '../api/schemas.js';
import { useAnnounce } from '../components/announcer.js';
import { StatusBadge } from '../components/badge.js';
import { SearchField, SelectField } from '../components/fields.js';
import { Sparkline } from '../components/sparkline.js';
import { Untrusted } from '../components/text.js';
import { useApi } from '../session/session.js';
import { formatCount } from '../text/format.js';
import { printable } from '../text/untrusted.js';
import { useAction } from './requests.js';

/** Query for one webhook, refetched every 30 s. */
export const webhookQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ['webhook', id],
    queryFn: async ({ signal }): Promise<ShownWebhook> => {
      const params = { path: { id } };
      return (await unwrap(api.GET('/developer/webhooks/{id}', { params, signal }))).data;
    },
    refetchInterval: 30_000,
  });

/** The keys of the queries that show a webhook, its changes, or a list of webhooks. */
export const webhookKeys = (id: string) => [['webhooks'], ['changes'], ['webhook', id]] as const;

/** Changes some fields of a webhook. Announces `done` after a success. */
export function useWebhookChange(id: string, done: string) {
  const api = useApi();
  const announce = useAnnounce();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (changes: WebhookPatch) =>
      unwrap(api.PATCH('/developer/webhooks/{id}', { params: { path: { id } }, body: changes })),
    onSuccess: () => {
      announce(done);
      return Promise.all(webhookKeys(id).map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
}

/** Restores a deleted webhook, which is then active. */
export function useWebhookRestore(id: string, done: string) {
  const api = useApi();
  return useAction({
    send: () => unwrap(api.POST('/developer/webhooks/{id}/restore', { params: { path: { id } } })),
    done,
    changes: webhookKeys(id),
  });
}

const staleMs = 60_000;
const perPage = 100;

type WebhookChoices = {
  /** The newest 100. */
  webhooks: Webhook[];
  total: number;
};

/** The webhooks that the user can choose: those whose names contain the text. */
export function useWebhookChoices(name = '') {
  const api = useApi();
  return useQuery({
    queryKey: ['webhooks', 'choices', name],
    queryFn: async ({ signal }): Promise<WebhookChoices> => {
      const query = { per_page: perPage, ...(name === '' ? {} : { 'filter[name]': name }) };
      const { data, meta } = await unwrap(api.GET('/developer/webhooks', { params: { query }, signal }));
      return { webhooks: data, total: meta.total };
    },
    staleTime: staleMs,
    placeholderData: keepPreviousData,
  });
}

/** The name of a webhook. Undefined while it is loading, and if it cannot be fetched, as that of a deleted webhook. */
export function useWebhookName(id: string): string | undefined {
  const api = useApi();
  const choices = useWebhookChoices();
  const listedName = choices.data?.webhooks.find((webhook) => webhook.id === id)?.name;
  const single = useQuery({
    queryKey: ['webhook', id, 'name'],
    queryFn: async ({ signal }) => {
      const params = { path: { id } };
      return (await unwrap(api.GET('/developer/webhooks/{id}', { params, signal }))).data.name;
    },
    staleTime: staleMs,
    enabled: id !== '' && listedName === undefined && choices.isSuccess,
  });
  return listedName ?? single.data;
}

const pauseLabels = { failing: 'Paused: it kept failing', gone: 'Paused: it returned 410' };

/** The state of a webhook: deleted, inactive, paused with the reason, or active. */
export function WebhookBadge({ webhook }: { webhook: Webhook | ShownWebhook }) {
  if (webhook.deleted_at !== undefined) return <StatusBadge tone="neutral">Deleted</StatusBadge>;
  if (Number(webhook.status) === 0) return <StatusBadge tone="neutral">Inactive</StatusBadge>;
  if (webhook.paused) {
    return (
      <StatusBadge tone="warning" icon="pause">
        {pauseLabels[webhook.paused.reason]}
      </StatusBadge>
    );
  }
  return <StatusBadge tone="success">Active</StatusBadge>;
}

/** A link to a webhook: its name, or the start of its id if the name is unknown. */
export function WebhookLink({ id }: { id: string }) {
  const name = useWebhookName(id);
  return <Link href={`/webhooks/${id}`}>{name === undefined ? `${id.slice(0, 8)}…` : <Untrusted text={name} />}</Link>;
}

type WebhookCounts = Pick<AccountStatistics['webhooks'][number], 'delivered' | 'failed' | 'buckets'>;

const noCounts: WebhookCounts = { delivered: 0, failed: 0, buckets: [] };

/** How many callbacks of a webhook were delivered and failed over time. */
export function WebhookSparkline({
  counts: { delivered, failed, buckets } = noCounts,
}: {
  counts: WebhookCounts | undefined;
}) {
  return (
    <Sparkline
      label={`${formatCount(delivered)} delivered, ${formatCount(failed)} failed`}
      delivered={buckets.map((bucket) => bucket.delivered)}
      failed={buckets.map((bucket) => bucket.failed)}
    />
  );
}

type WebhookFieldProps = {
  label: string;
  /** The label of the choice without a webhook, such as "All webhooks". */
  noneLabel: string;
  value: string;
  onChange: (id: string) => void;
  errors?: readonly string[];
};

/** Lets the user choose a webhook. If the account has more than 100, a search by name precedes the list. */
export function WebhookField({ label, noneLabel, value, onChange, errors = [] }: WebhookFieldProps) {
  const [search, setSearch] = useState('');
  const unfiltered = useWebhookChoices().data;
  const { webhooks = [], total = 0 } = useWebhookChoices(search).data ?? {};
  const name = useWebhookName(value);
  const options = webhooks.map((webhook) => ({ value: webhook.id, label: printable(webhook.name) }));
  // The chosen webhook is always an option. The name of a deleted webhook is unknown.
  const isUnlisted = value !== '' && !options.some((option) => option.value === value);
  const chosen = isUnlisted ? [{ value, label: name === undefined ? value : printable(name) }] : [];
  const isSearchable = unfiltered !== undefined && unfiltered.total > unfiltered.webhooks.length;
  const hint = total > webhooks.length ? `The newest ${webhooks.length} of ${formatCount(total)}.` : undefined;
  return (
    <div className="webhook-field">
      {isSearchable && <SearchField label={`${label}: name contains`} value={search} onSearch={setSearch} />}
      <SelectField
        label={label}
        hint={isSearchable ? (hint ?? `${formatCount(total)} found.`) : undefined}
        value={value}
        onChange={onChange}
        options={[{ value: '', label: noneLabel }, ...chosen, ...options]}
        errors={errors}
      />
    </div>
  );
}
