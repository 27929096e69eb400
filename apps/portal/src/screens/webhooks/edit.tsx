import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { type Api, unwrap } from '../../api/client.js';
import { ApiFailure } from '../../api/failure.js';
import { useAnnounce } from '../../components/announcer.js';
import { QueryView } from '../../components/query-view.js';
import { NoPermission, Skeleton } from '../../components/states.js';
import { setHasUnsavedChanges } from '../../data/unsaved-changes.js';
import { Page } from '../../layout/page.js';
import { useApi, useHasScope } from '../../session/session-context.js';
import { fetchForm, type LoadedForm } from '../webhook-form/fetch-form.js';
import { type Meanwhile, MeanwhileChanged } from '../webhook-form/meanwhile-changed.js';
import { useWebhookForm } from '../webhook-form/use-webhook-form.js';
import { editBody, keepEdits, type WebhookForm } from './form-values.js';
import { WebhookFormView } from './form.js';
import { SigningSecret } from './secrets.js';
import { Subscriptions } from './subscriptions.js';

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

type Edit = { id: string; loaded: LoadedForm; form: WebhookForm };

/**
 * Saves what the user changed. Resolves with null, or, when the webhook was changed since it was loaded, with its newest
 * state; then nothing is saved.
 */
async function saveEdit(api: Api, { id, loaded: { form: before, etag }, form }: Edit): Promise<LoadedForm | null> {
  const text = editBody(before, form);
  const header = etag === null ? {} : { 'If-Match': etag };
  const params = { path: { id }, header };
  try {
    await unwrap(api.PATCH('/developer/webhooks/{id}', { params, body: {}, bodySerializer: () => text }));
    return null;
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 412) return fetchForm(api, id);
    throw error;
  }
}

function EditWebhook({ id, initial }: { id: string; initial: LoadedForm }) {
  const api = useApi();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const [, navigate] = useLocation();
  const [loaded, setLoaded] = useState(initial);
  const [meanwhile, setMeanwhile] = useState<Meanwhile>();
  const { form, errors, failedSaves, change, replace, save, onError } = useWebhookForm(initial.form);
  const edit = useMutation({
    mutationFn: () => saveEdit(api, { id, loaded, form }),
    onSuccess: (newest) => {
      if (newest) {
        setMeanwhile({ before: loaded.form, after: newest.form, edited: form });
        replace(keepEdits(loaded.form, form, newest.form));
        return setLoaded(newest);
      }
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
      notice={meanwhile && <MeanwhileChanged {...meanwhile} />}
    >
      <Subscriptions webhookId={id} />
      <SigningSecret webhookId={id} />
    </WebhookFormView>
  );
}
