import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useParams } from 'wouter';
import { QueryView } from '../../components/query-view.js';
import { NoPermission, Skeleton } from '../../components/states.js';
import { unwrap } from '../../data/api.js';
import type { WebhookUpdate } from '../../data/schemas.js';
import { setHasUnsavedChanges } from '../../data/unsaved-changes.js';
import { useAnnounce } from '../../layout/announcer.js';
import { Page } from '../../layout/page.js';
import { useApi, useHasScope } from '../../session/session-context.js';
import { requestBody, type WebhookForm } from './form-state.js';
import { fetchForm } from './fetch-form.js';
import { SigningSecret } from './signing-secret.js';
import { Subscriptions } from './subscriptions.js';
import { useWebhookForm } from './use-webhook-form.js';
import { WebhookFormView } from './webhook-form.js';

/** The screen that edits a webhook, its subscriptions and its signing secret. */
export default function EditWebhookScreen() {
  const { id = '' } = useParams();
  const api = useApi();
  const canWrite = useHasScope('write');
  const query = useQuery({
    queryKey: ['webhook', id, 'form'],
    queryFn: ({ signal }) => fetchForm(api, id, signal),
    // A refetch would change `initial`, so that an unchanged form would count as changed. Each visit fetches anew.
    staleTime: Infinity,
    gcTime: 0,
    enabled: canWrite,
  });
  return (
    <Page title="Edit webhook">
      {canWrite ? (
        <QueryView query={query} skeleton={<Skeleton height="40rem" />}>
          {(initial) => <EditWebhook key={id} id={id} initial={initial} />}
        </QueryView>
      ) : (
        <NoPermission what="edit webhooks" />
      )}
    </Page>
  );
}

function EditWebhook({ id, initial }: { id: string; initial: WebhookForm }) {
  const api = useApi();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const [, navigate] = useLocation();
  const { form, errors, failedSaves, change, save, onError } = useWebhookForm(initial);
  const edit = useMutation({
    mutationFn: () => {
      const body: WebhookUpdate = { name: form.name, uri: form.uri };
      const text = requestBody(form, { isNew: false });
      return unwrap(
        api.PUT('/developer/webhooks/{id}', { params: { path: { id } }, body, bodySerializer: () => text }),
      );
    },
    onSuccess: () => {
      setHasUnsavedChanges(false);
      announce('The webhook was saved. Pending deliveries use the new settings.');
      void queries.invalidateQueries({ queryKey: ['webhooks'] });
      void queries.invalidateQueries({ queryKey: ['webhook', id], refetchType: 'none' });
      navigate(`/webhooks/${id}`);
    },
    onError,
  });
  return (
    <WebhookFormView
      form={form}
      change={change}
      errors={errors}
      failedSaves={failedSaves}
      isNew={false}
      isBusy={edit.isPending}
      onSave={() => save(edit.mutate)}
      cancelHref={`/webhooks/${id}`}
    >
      <Subscriptions webhookId={id} />
      <SigningSecret webhookId={id} />
    </WebhookFormView>
  );
}
