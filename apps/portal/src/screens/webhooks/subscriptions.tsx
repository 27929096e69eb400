import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Api, unwrap } from '../../api/client.js';
import type { EventName, Subscription } from '../../api/schemas.js';
import { useAnnounce } from '../../components/announcer.js';
import { Button } from '../../components/button.js';
import { FormErrorList, SelectField, TextField } from '../../components/fields.js';
import { NoPermission, QueryView, Skeleton } from '../../components/states.js';
import { Untrusted } from '../../components/text.js';
import { eventLabel, eventOptions } from '../../resources/events.js';
import { useAction } from '../../resources/requests.js';
import { useApi, useHasScope, useSeesAllWebhooks } from '../../session/session.js';
import { formatCount } from '../../text/format.js';
import { printable } from '../../text/untrusted.js';

const perPage = 100;

type WebhookSubscriptions = {
  /** The newest 100. */
  subscriptions: Subscription[];
  total: number;
};

/** Query for the subscriptions of a webhook. */
const subscriptionsQuery = (api: Api, webhookId: string) =>
  queryOptions({
    queryKey: ['subscriptions', webhookId],
    queryFn: async ({ signal }): Promise<WebhookSubscriptions> => {
      const query = { 'filter[webhook_id]': webhookId, per_page: perPage };
      const { data, meta } = await unwrap(api.GET('/developer/subscriptions', { params: { query }, signal }));
      return { subscriptions: data, total: meta.total };
    },
  });

/** The subscriptions of a webhook. Each change is saved at once. */
export function Subscriptions({ webhookId }: { webhookId: string }) {
  const canWrite = useHasScope('write');
  const seesAllWebhooks = useSeesAllWebhooks();
  const query = useQuery(subscriptionsQuery(useApi(), webhookId));
  return (
    <section className="form-section" aria-labelledby="subscriptions">
      <h2 id="subscriptions">Subscriptions</h2>
      <p className="hint">The events that this webhook gets.{canWrite && ' Changes are saved at once.'}</p>
      <QueryView query={query} skeleton={<Skeleton lines={2} />}>
        {(data) => <SubscriptionList {...data} />}
      </QueryView>
      {canWrite && seesAllWebhooks && <NewSubscription webhookId={webhookId} />}
      {canWrite && !seesAllWebhooks && <NoPermission what="add subscriptions" />}
    </section>
  );
}

function SubscriptionList({ subscriptions, total }: WebhookSubscriptions) {
  return (
    <>
      {subscriptions.length === 0 && <p>None: the webhook gets only events that the platform addresses to it.</p>}
      {total > subscriptions.length && (
        <p className="notice">
          The newest {subscriptions.length} of {formatCount(total)}.
        </p>
      )}
      <ul className="subscriptions">
        {subscriptions.map((subscription) => (
          <SubscriptionItem key={subscription.id} subscription={subscription} />
        ))}
      </ul>
    </>
  );
}

function SubscriptionItem({ subscription: { id, event, identity, webhook_id } }: { subscription: Subscription }) {
  const canWrite = useHasScope('write');
  const api = useApi();
  const label = `${eventLabel(event)}, ${identity === 'all' ? 'every identity' : printable(identity)}`;
  const remove = useAction({
    send: () => unwrap(api.DELETE('/developer/subscriptions/{id}', { params: { path: { id } } })),
    done: `Removed: ${label}.`,
    changes: [['subscriptions', webhook_id]],
  });
  return (
    <li>
      <Untrusted text={label} />
      {canWrite && (
        <Button
          variant="quiet"
          isBusy={remove.isPending}
          aria-label={`Remove ${label}`}
          onClick={() => remove.mutate()}
        >
          Remove
        </Button>
      )}
    </li>
  );
}

function NewSubscription({ webhookId }: { webhookId: string }) {
  const api = useApi();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const [event, setEvent] = useState<EventName>('sms:message:status');
  const [identity, setIdentity] = useState('');
  const add = useMutation({
    mutationFn: () =>
      unwrap(api.POST('/developer/subscriptions', { body: { event, identity, webhook_id: webhookId } })),
    onSuccess: () => {
      announce(`Added: ${eventLabel(event)}.`);
      setIdentity('');
      return queries.invalidateQueries({ queryKey: ['subscriptions', webhookId] });
    },
  });
  const submit = (submitted: FormEvent) => {
    submitted.preventDefault();
    if (!add.isPending) add.mutate();
  };
  const { errors = {}, message } = add.error ?? {};
  const others = Object.entries(errors).flatMap(([field, texts]) => (field === 'identity' ? [] : texts));
  return (
    <form onSubmit={submit} noValidate>
      <FormErrorList messages={add.error && Object.keys(errors).length === 0 ? [message ?? ''] : others} />
      <SelectField label="Event" value={event} onChange={setEvent} options={eventOptions} />
      <TextField
        label="Identity"
        hint="Such as number:1. Empty means every identity."
        value={identity}
        onChange={setIdentity}
        errors={errors.identity}
        maxLength={255}
      />
      <Button type="submit" isBusy={add.isPending}>
        Add subscription
      </Button>
    </form>
  );
}
