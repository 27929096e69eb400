import { useMutation } from '@tanstack/react-query';
import { unwrap } from '../../api/client.js';
import type { ShownWebhook } from '../../api/schemas.js';
import { useAnnounce } from '../../components/announcer.js';
import { Button } from '../../components/button.js';
import { Time } from '../../components/text.js';
import { useApi, useHasScope } from '../../session/session-context.js';
import { useWebhookRefresh } from './webhook-query.js';

const reasons = {
  failing: 'All its callbacks failed for a long time.',
  gone: 'It returned the status 410: this address is permanently gone.',
};

/** Shows why a webhook is paused, and ends the pause on request. */
export function PauseNotice({ webhook: { id, paused } }: { webhook: ShownWebhook }) {
  const api = useApi();
  const canWrite = useHasScope('write');
  const announce = useAnnounce();
  const refresh = useWebhookRefresh(id);
  const resume = useMutation({
    mutationFn: () => unwrap(api.POST('/developer/webhooks/{id}/resume', { params: { path: { id } } })),
    onSuccess: () => {
      announce('The webhook was resumed. Its pending deliveries continue within seconds.');
      return refresh();
    },
    onError: (failure) => announce(failure.message),
  });
  if (!paused) return null;
  return (
    <div className="notice" role="status">
      <p>
        <strong>Paused</strong> since <Time value={paused.since} />. {reasons[paused.reason]} Its deliveries stay
        pending until it is resumed. Repair the receiver first, and check it with a test call.
      </p>
      {canWrite && (
        <Button isBusy={resume.isPending} onClick={() => resume.mutate()}>
          Resume
        </Button>
      )}
    </div>
  );
}
