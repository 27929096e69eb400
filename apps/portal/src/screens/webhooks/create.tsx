import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { type Api, unwrap } from '../../api/client.js';
import type { NewWebhook, Webhook } from '../../api/schemas.js';
import { useAnnounce } from '../../components/announcer.js';
import { NoPermission } from '../../components/states.js';
import { Page } from '../../layout/page.js';
import { setHasUnsavedChanges } from '../../layout/unsaved-changes.js';
import { useApi, useHasScope, useSeesAllWebhooks } from '../../session/session.js';
import { creationBody, newForm, type WebhookForm } from './form-values.js';
import { useWebhookForm, WebhookFormView } from './form.js';

/** The screen that creates a webhook. */
export default function CreateWebhookScreen() {
  const canWrite = useHasScope('write');
  const seesAllWebhooks = useSeesAllWebhooks();
  return (
    <Page title="New webhook">
      {canWrite && seesAllWebhooks ? <CreateWebhook /> : <NoPermission what="create webhooks" />}
    </Page>
  );
}

function CreateWebhook() {
  const api = useApi();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const [, navigate] = useLocation();
  const { form, errors, failedSaves, change, save, onError } = useWebhookForm(newForm);
  const create = useMutation({
    mutationFn: () => createWebhook(api, form),
    onSuccess: ({ webhook, problem }) => {
      setHasUnsavedChanges(false);
      announce(problem ?? 'The webhook was created.');
      void queries.invalidateQueries({ queryKey: ['webhooks'] });
      navigate(`/webhooks/${webhook.id}`);
    },
    onError,
  });
  return (
    <WebhookFormView
      form={form}
      change={change}
      errors={errors}
      failedSaves={failedSaves}
      isNew
      isBusy={create.isPending}
      onSave={() => save(create.mutate)}
      cancelHref="/webhooks"
    />
  );
}

type Created = { webhook: Webhook; problem?: string };

/** Creates the webhook, then its subscriptions. If a subscription fails, the webhook stays, with a problem to show. */
async function createWebhook(api: Api, form: WebhookForm): Promise<Created> {
  const text = creationBody(form);
  const body: NewWebhook = { name: form.name, uri: form.uri };
  const { data: webhook } = await unwrap(api.POST('/developer/webhooks', { body, bodySerializer: () => text }));
  try {
    for (const event of form.events) {
      await unwrap(api.POST('/developer/subscriptions', { body: { event, webhook_id: webhook.id } }));
    }
    return { webhook };
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    return { webhook, problem: `The webhook was created, but not all of its subscriptions: ${reason}` };
  }
}
