import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useParams } from 'wouter';
import { QueryView } from '../../components/query-view.js';
import { NoPermission, Skeleton } from '../../components/states.js';
import { unwrap } from '../../data/api.js';
import type { WebhookChanges } from '../../data/schemas.js';
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

/** Edits a webhook, its subscriptions, and its signing secret. */
export default function EditWebhookScreen() {
  const { id = '' } = useParams();
  const api = useApi();
  const canWrite = useHasScope('write');
  const query = useQuery({
    queryKey: ['webhook', id, 'form'],
    queryFn: ({ signal }) => fetchForm(api, id, signal),
    // The user's input must not be replaced.
    staleTime: Infinity,
    gcTime: 0,
    enabled: canWrite,
  });
  return (
    <Page title="Edit webhook">
      {canWrite ? (
        <QueryView query={query} skeleton={<Skeleton height="40rem" />}>
          {(saved) => <EditWebhook key={id} id={id} saved={saved} />}
        </QueryView>
      ) : (
        <NoPermission what="edit webhooks" />
      )}
    </Page>
  );
}

function EditWebhook({ id, saved }: { id: string; saved: WebhookForm }) {
  const api = useApi();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const [, navigate] = useLocation();
  const { form, errors, failures, change, save, onError } = useWebhookForm(saved);
  const edit = useMutation({
    mutationFn: () => {
      const body: WebhookChanges = { name: form.name, uri: form.uri };
      const text = requestBody(form, { isNew: false });
      return unwrap(
        api.PUT('/developer/webhooks/{id}', { params: { path: { id } }, body, bodySerializer: () => text }),
      );
    },
    onSuccess: () => {
      setHasUnsavedChanges(false);
      announce('The webhook was saved. Retries that are still to come use it as it is now.');
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
      failures={failures}
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
