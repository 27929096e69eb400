import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '../../api/client.js';
import { useAnnounce } from '../../components/announcer.js';
import { Button } from '../../components/button.js';
import { CopyButton } from '../../components/code-block.js';
import { Dialog } from '../../components/dialog.js';
import { Time } from '../../components/text.js';
import { useApi } from '../../session/session.js';

/** Shows the signing secret on request, and replaces it. */
export function SigningSecret({ webhookId }: { webhookId: string }) {
  const api = useApi();
  const announce = useAnnounce();
  const [isConfirming, setConfirming] = useState(false);
  const params = { path: { id: webhookId } };
  const show = useMutation({
    mutationFn: () => unwrap(api.GET('/developer/webhooks/{id}/signing-secret', { params })),
    gcTime: 0,
  });
  const rotate = useMutation({
    mutationFn: () => unwrap(api.POST('/developer/webhooks/{id}/signing-secret/rotate', { params })),
    onSuccess: () => announce('The signing secret was replaced.'),
    gcTime: 0,
  });
  const shown = (rotate.data ?? show.data)?.data;
  const failure = rotate.error ?? show.error;
  const replace = () => {
    setConfirming(false);
    rotate.mutate();
  };
  return (
    <section className="form-section" aria-labelledby="signing">
      <h2 id="signing">Signing secret</h2>
      <p className="hint">The key of the webhook-signature header, for libraries of Standard Webhooks.</p>
      {shown && (
        <div className="shown-secret">
          <code>{shown.secret}</code>
          <CopyButton text={shown.secret} label="Copy the signing secret" />
        </div>
      )}
      {shown?.previous_signs_until && (
        <p>
          Callbacks also carry a signature with the previous secret until <Time value={shown.previous_signs_until} />.
        </p>
      )}
      {failure && <p role="alert">{failure.message}</p>}
      <div className="actions">
        {!shown && (
          <Button isBusy={show.isPending} onClick={() => show.mutate()}>
            Show the secret
          </Button>
        )}
        <Button variant="danger" isBusy={rotate.isPending} onClick={() => setConfirming(true)}>
          Replace the secret
        </Button>
      </div>
      <ReplaceDialog isOpen={isConfirming} onClose={() => setConfirming(false)} onReplace={replace} />
    </section>
  );
}

type ReplaceDialogProps = { isOpen: boolean; onClose: () => void; onReplace: () => void };

function ReplaceDialog({ isOpen, onClose, onReplace }: ReplaceDialogProps) {
  return (
    <Dialog title="Replace the signing secret?" isOpen={isOpen} onClose={onClose}>
      <p>
        For 24 hours, callbacks carry signatures with both secrets. Give the new secret to your receiver within this
        time. If you replace it twice within 24 hours, the oldest secret stops working at once.
      </p>
      <div className="actions">
        <Button variant="danger" onClick={onReplace}>
          Replace
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}
