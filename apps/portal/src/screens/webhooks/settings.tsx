import { type FormEvent, useState } from 'react';
import { unwrap } from '../../api/client.js';
import type { ShownWebhook } from '../../api/schemas.js';
import { Button, ButtonLink } from '../../components/button.js';
import { CopyButton } from '../../components/code-block.js';
import { ConfirmButton } from '../../components/dialog.js';
import { TextField } from '../../components/fields.js';
import { Untrusted } from '../../components/text.js';
import { useAction } from '../../resources/requests.js';
import { useWebhookChange, WebhookBadge, webhookKeys } from '../../resources/webhooks.js';
import { useApi, useHasScope } from '../../session/session.js';
import { SigningSecret } from './signing-secret.js';
import { Subscriptions } from './subscriptions.js';
import { VerificationState } from './verification.js';

/** The settings of the webhook. Each of them is saved on its own. */
export function Settings({ webhook }: { webhook: ShownWebhook }) {
  const canWrite = useHasScope('write');
  return (
    <div className="settings">
      <Subscriptions webhookId={webhook.id} />
      <StateSwitch webhook={webhook} />
      <RateLimit key={webhook.rate_limit ?? 0} webhook={webhook} />
      <VerificationState webhook={webhook} />
      {canWrite && <BearerSecret webhook={webhook} />}
      {canWrite && <SigningSecret webhookId={webhook.id} />}
      {canWrite && <DeleteWebhook webhook={webhook} />}
    </div>
  );
}

/** Shows the state of the webhook, and activates or deactivates it. */
function StateSwitch({ webhook }: { webhook: ShownWebhook }) {
  const canWrite = useHasScope('write');
  const isActive = webhook.status === 1;
  const change = useWebhookChange(webhook.id, isActive ? 'The webhook is inactive now.' : 'The webhook is active now.');
  return (
    <section aria-labelledby="state">
      <h2 id="state">State</h2>
      <p>
        <WebhookBadge webhook={webhook} />
      </p>
      <p className="hint">While a webhook is inactive, its deliveries are skipped. A replay can send them later.</p>
      {change.error && <p role="alert">{change.error.message}</p>}
      {canWrite && (
        <Button isBusy={change.isPending} onClick={() => change.mutate({ status: isActive ? 0 : 1 })}>
          {isActive ? 'Deactivate' : 'Activate'}
        </Button>
      )}
    </section>
  );
}

/** The webhook's maximum number of callbacks per second. */
function RateLimit({ webhook: { id, rate_limit: current } }: { webhook: ShownWebhook }) {
  const canWrite = useHasScope('write');
  const [text, setText] = useState(current?.toString() ?? '');
  const [problem, setProblem] = useState<string>();
  const change = useWebhookChange(id, 'The rate limit was saved.');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const isNumber = /^\s*\d*\s*$/.test(text);
    setProblem(isNumber ? undefined : 'It must be a whole number, or empty.');
    if (isNumber && !change.isPending) change.mutate({ rate_limit: text.trim() === '' ? null : Number(text) });
  };
  const failure = change.error && (change.error.errors.rate_limit ?? [change.error.message]);
  return (
    <section aria-labelledby="rate">
      <h2 id="rate">Rate limit</h2>
      <p className="hint">
        {current === undefined ? 'There is no limit.' : `At most ${current} callbacks per second.`} Callbacks over the
        limit wait.
      </p>
      {canWrite && (
        <form className="inline-form" onSubmit={submit} noValidate>
          <TextField
            label="Callbacks per second"
            hint="Empty means no limit."
            inputMode="numeric"
            value={text}
            onChange={setText}
            errors={problem === undefined ? (failure ?? []) : [problem]}
          />
          <Button type="submit" isBusy={change.isPending}>
            Save the limit
          </Button>
        </form>
      )}
    </section>
  );
}

/** The Bearer secret of callbacks, hidden until the user shows it. */
function BearerSecret({ webhook: { id, secret, unreadable } }: { webhook: ShownWebhook }) {
  const [isShown, setShown] = useState(false);
  const isUnreadable = unreadable?.includes('secret') ?? false;
  return (
    <section aria-labelledby="bearer">
      <h2 id="bearer">Bearer secret</h2>
      <p className="hint">Sent as “Authorization: Bearer …”.</p>
      {isUnreadable && (
        <p className="notice danger">The service cannot decrypt the secret, so callbacks wait. Contact the operator.</p>
      )}
      {secret === null && !isUnreadable && <p>None: callbacks carry the account's callback token.</p>}
      {secret !== null && isShown && (
        <div className="shown-secret">
          <code>
            <Untrusted text={secret} />
          </code>
          <CopyButton text={secret} label="Copy the Bearer secret" />
        </div>
      )}
      <div className="actions">
        {secret !== null && (
          <Button
            aria-expanded={isShown}
            aria-label={isShown ? 'Hide the Bearer secret' : 'Show the Bearer secret'}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? 'Hide' : 'Show'}
          </Button>
        )}
        <ButtonLink href={`/webhooks/${id}/edit`}>Edit secret</ButtonLink>
      </div>
    </section>
  );
}

/** Deletes the webhook after a confirmation. The screen then offers to restore it. */
function DeleteWebhook({ webhook: { id, name } }: { webhook: ShownWebhook }) {
  const api = useApi();
  const remove = useAction({
    send: () => unwrap(api.DELETE('/developer/webhooks/{id}', { params: { path: { id } } })),
    done: 'The webhook was deleted.',
    changes: webhookKeys(id),
  });
  return (
    <section aria-labelledby="delete">
      <h2 id="delete">Delete</h2>
      <p className="hint">A deleted webhook gets no callbacks. It can be restored.</p>
      <ConfirmButton
        label="Delete"
        name="Delete the webhook"
        title="Delete the webhook?"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        <p>
          <strong>
            <Untrusted text={name} />
          </strong>{' '}
          gets no more callbacks, and its pending deliveries are skipped. You can restore it.
        </p>
      </ConfirmButton>
    </section>
  );
}
