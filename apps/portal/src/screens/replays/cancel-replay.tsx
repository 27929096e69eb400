import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '../../api/client.js';
import type { Replay } from '../../api/schemas.js';
import { useAnnounce } from '../../components/announcer.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import { useApi, useHasScope } from '../../session/session-context.js';

/** Stops a running replay after a confirmation. */
export function CancelReplay({ replay: { id } }: { replay: Replay }) {
  const api = useApi();
  const canReplay = useHasScope('replay');
  const announce = useAnnounce();
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => unwrap(api.POST('/developer/replays/{id}/cancel', { params: { path: { id } } })),
    onSuccess: () => announce('The replay was cancelled.'),
    onError: (failure) => announce(failure.message),
    onSettled: () => queries.invalidateQueries({ queryKey: ['replays'] }),
  });
  if (!canReplay) return null;
  return (
    <ConfirmButton
      label="Stop"
      name="Stop the replay"
      title="Stop this replay?"
      isBusy={cancel.isPending}
      onConfirm={() => cancel.mutate()}
    >
      <p>Deliveries that it has already made pending are still sent. The others stay as they are.</p>
    </ConfirmButton>
  );
}
