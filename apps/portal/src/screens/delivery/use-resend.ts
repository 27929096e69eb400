import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '../../api/client.js';
import { useAnnounce } from '../../components/announcer.js';
import { useApi } from '../../session/session-context.js';

/** Resends a delivery, then calls `onSent` and refetches all that shows the delivery. */
export function useResend(id: string, onSent: () => void) {
  const api = useApi();
  const queries = useQueryClient();
  const announce = useAnnounce();
  return useMutation({
    mutationFn: () => unwrap(api.POST('/developer/deliveries/{id}/resend', { params: { path: { id } } })),
    onSuccess: async () => {
      announce('The callback is being sent again. The result appears on this page.');
      onSent();
      await queries.invalidateQueries({ queryKey: ['delivery', id] });
      await queries.invalidateQueries({ queryKey: ['deliveries'] });
      await queries.invalidateQueries({ queryKey: ['message'] });
    },
  });
}
