import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { type Api, unwrap } from '../../api/client.js';
import { ApiFailure } from '../../api/failure.js';
import type { ShownWebhook } from '../../api/schemas.js';
import { useAnnounce } from '../../components/announcer.js';
import { NoPermission, QueryView, Skeleton } from '../../components/states.js';
import { Untrusted } from '../../components/text.js';
import { Page } from '../../layout/page.js';
import { setHasUnsavedChanges } from '../../layout/unsaved-changes.js';
import { useApi, useHasScope } from '../../session/session.js';
import { indentJson, memberText } from '../../text/json.js';
import { changedFields, editBody, type EditField, keepEdits, newForm, type WebhookForm } from './form-values.js';
import { useWebhookForm, WebhookFormView } from './form.js';
import { SigningSecret } from './signing-secret.js';
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
 * Saves what the user changed. Resolves with null, or, when the webhook was changed since it was loaded, with its
 * newest state; then nothing is saved.
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

/** A webhook as form values, and the `ETag` of this state. */
type LoadedForm = { form: WebhookForm; etag: string | null };

// A proxy that compresses responses makes the tag weak, or adds to it. The API knows the tag that it sent.
const sentTag = (etag: string | null): string | null => etag?.replace(/^(?:W\/)?"([^"]*?)(?:-gzip)?"$/, '"$1"') ?? null;

/** Fetches a webhook as form values. The template comes from the response text, so that numbers keep their digits. */
async function fetchForm(api: Api, id: string, signal?: AbortSignal): Promise<LoadedForm> {
  const params = { path: { id } };
  const call = api.GET('/developer/webhooks/{id}', { params, parseAs: 'text', ...(signal ? { signal } : {}) });
  const text = await unwrap(call);
  const { response } = await call;
  const { data: webhook }: { data: ShownWebhook } = JSON.parse(text);
  const template = memberText(text, ['data', 'payload']);
  const form: WebhookForm = {
    name: webhook.name,
    uri: webhook.uri,
    isActive: webhook.status === 1,
    hasTemplate: template !== undefined,
    template: template === undefined ? newForm.template : indentJson(template),
    secret: webhook.secret ?? '',
    isSigned: webhook.signing !== false,
    rateLimit: webhook.rate_limit === undefined ? '' : String(webhook.rate_limit),
    tlsCa: webhook.tls?.ca ?? '',
    token: '',
    events: [],
  };
  return { form, etag: sentTag(response.headers.get('ETag')) };
}

/** The webhook as the form was loaded, as it is now, and with what the user entered. */
type Meanwhile = { before: WebhookForm; after: WebhookForm; edited: WebhookForm };

const orNone = (text: string) => (text.trim() === '' ? 'none' : text);

/**
 * The label of each field, and its value as text. Secrets, templates and certificates have none: they are not shown
 * here.
 */
const fields: Record<EditField, { label: string; show?: (form: WebhookForm) => string }> = {
  name: { label: 'Name', show: ({ name }) => name },
  uri: { label: 'Address (uri)', show: ({ uri }) => uri },
  payload: { label: 'Body template' },
  secret: { label: 'Bearer secret' },
  rate_limit: { label: 'Maximum callbacks per second', show: ({ rateLimit }) => orNone(rateLimit) },
  tls: { label: 'CA certificate' },
  signing: { label: 'Sign callbacks', show: ({ isSigned }) => (isSigned ? 'yes' : 'no') },
  status: { label: 'Active', show: ({ isActive }) => (isActive ? 'yes' : 'no') },
};

/** Says which fields were changed elsewhere while the user edited the form, and what saving does. It gets the focus. */
function MeanwhileChanged({ before, after, edited }: Meanwhile) {
  const element = useRef<HTMLElement>(null);
  useEffect(() => element.current?.focus(), [after]);
  const ownEdits = changedFields(before, edited);
  return (
    <section ref={element} className="notice" aria-labelledby="meanwhile" tabIndex={-1}>
      <h2 id="meanwhile">This webhook was changed meanwhile</h2>
      <p>Nothing is saved yet. The form has the new values and your own changes. Save again to store your changes.</p>
      <ul>
        {changedFields(before, after).map((field) => {
          const { label, show } = fields[field];
          return (
            <li key={field}>
              <strong>{label}</strong>
              {show ? (
                <>
                  : <Untrusted text={show(before)} /> <span aria-hidden="true">→</span>
                  <span className="visually-hidden">, then</span> <Untrusted text={show(after)} />
                </>
              ) : (
                ' changed'
              )}
              {ownEdits.includes(field) && '. Your own value is kept; saving replaces the new one.'}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
