import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '../../api/client.js';
import { useAnnounce } from '../../components/announcer.js';
import { Button } from '../../components/button.js';
import { useApi, useHasScope } from '../../session/session-context.js';
import { printable } from '../../text/untrusted.js';

/** A button that restores a deleted webhook. The webhook is then active. */
export function RestoreButton({ id, name }: { id: string; name: string }) {
  const api = useApi();
  const canWrite = useHasScope('write');
  const announce = useAnnounce();
  const queries = useQueryClient();
  const restore = useMutation({
    mutationFn: () => unwrap(api.POST('/developer/webhooks/{id}/restore', { params: { path: { id } } })),
    onSuccess: () => {
      announce(`${printable(name)} was restored and is active.`);
      return queries.invalidateQueries({ queryKey: ['webhooks'] });
    },
    onError: (failure) => announce(failure.message),
  });
  if (!canWrite) return null;
  return (
    <Button isBusy={restore.isPending} aria-label={`Restore ${printable(name)}`} onClick={() => restore.mutate()}>
      Restore
    </Button>
  );
}
