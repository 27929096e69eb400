import { useMutation } from '@tanstack/react-query';
import { unwrap } from '../../api/client.js';
import { useAnnounce } from '../../components/announcer.js';
import { Button } from '../../components/button.js';
import { useApi } from '../../session/session-context.js';
import { useWebhookRefresh } from './webhook-query.js';

/** A button that restores the deleted webhook of this screen. */
export function RestoreButton({ id }: { id: string }) {
  const api = useApi();
  const announce = useAnnounce();
  const refresh = useWebhookRefresh(id);
  const restore = useMutation({
    mutationFn: () => unwrap(api.POST('/developer/webhooks/{id}/restore', { params: { path: { id } } })),
    onSuccess: () => {
      announce('The webhook was restored and is active.');
      return refresh();
    },
    onError: (failure) => announce(failure.message),
  });
  return (
    <Button variant="primary" isBusy={restore.isPending} onClick={() => restore.mutate()}>
      Restore
    </Button>
  );
}
