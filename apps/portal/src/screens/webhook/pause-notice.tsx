import { useMutation } from '@tanstack/react-query';
import { Button } from '../../components/button.js';
import { Time } from '../../components/time.js';
import { unwrap } from '../../data/api.js';
import type { ShownWebhook } from '../../data/schemas.js';
import { useAnnounce } from '../../layout/announcer.js';
import { useApi, useHasScope } from '../../session/session-context.js';
import { useWebhookRefresh } from './webhook-query.js';

const reasons = {
  failing: 'All its callbacks had failed for a long time.',
  gone: 'It answered with the status 410: this address is gone for good.',
};

/** Says why a paused webhook is paused, and releases it. */
export function PauseNotice({ webhook: { id, paused } }: { webhook: ShownWebhook }) {
  const api = useApi();
  const canWrite = useHasScope('write');
  const announce = useAnnounce();
  const refresh = useWebhookRefresh(id);
  const release = useMutation({
    mutationFn: () => unwrap(api.POST('/developer/webhooks/{id}/release', { params: { path: { id } } })),
    onSuccess: () => {
      announce('The webhook was released. Waiting deliveries are made within seconds.');
      return refresh();
    },
    onError: (failure) => announce(failure.message),
  });
  if (!paused) return null;
  return (
    <div className="notice" role="status">
      <p>
        <strong>Paused</strong> since <Time value={paused.since} />. {reasons[paused.reason]} Its deliveries wait until
        it is released. Repair the receiver first, and try it with a test call.
      </p>
      {canWrite && (
        <Button isBusy={release.isPending} onClick={() => release.mutate()}>
          Release
        </Button>
      )}
    </div>
  );
}
