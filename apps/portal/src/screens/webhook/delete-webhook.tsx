import { useMutation } from '@tanstack/react-query';
import { unwrap } from '../../api/client.js';
import type { ShownWebhook } from '../../api/schemas.js';
import { useAnnounce } from '../../components/announcer.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import { Untrusted } from '../../components/untrusted.js';
import { useApi } from '../../session/session-context.js';
import { useWebhookRefresh } from './webhook-query.js';

/** Deletes the webhook after a confirmation. The screen then offers to restore it. */
export function DeleteWebhook({ webhook: { id, name } }: { webhook: ShownWebhook }) {
  const api = useApi();
  const announce = useAnnounce();
  const refresh = useWebhookRefresh(id);
  const remove = useMutation({
    mutationFn: () => unwrap(api.DELETE('/developer/webhooks/{id}', { params: { path: { id } } })),
    onSuccess: () => {
      announce('The webhook was deleted.');
      return refresh();
    },
    onError: (failure) => announce(failure.message),
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
