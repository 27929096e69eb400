import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.js';
import { ButtonLink } from '../../components/button.js';
import { EmptyState, Skeleton } from '../../components/states.js';
import { Untrusted } from '../../components/untrusted.js';
import { useApi, useHasScope } from '../../session/session-context.js';
import { RestoreButton } from './restore-button.js';

/** Shows that there is no such webhook. If it is one of the newest 100 deleted webhooks, it can be restored. */
export function MissingWebhook({ id }: { id: string }) {
  const api = useApi();
  const canWrite = useHasScope('write');
  const deleted = useQuery({
    queryKey: ['webhooks', 'deleted', id],
    queryFn: async ({ signal }) => {
      const query = { 'filter[trashed]': 'only', per_page: 100 } as const;
      const { data } = await unwrap(api.GET('/developer/webhooks', { params: { query }, signal }));
      return data.find((webhook) => webhook.id === id.toLowerCase()) ?? null;
    },
  });
  if (deleted.isPending) return <Skeleton height="8rem" />;
  if (!deleted.data) {
    return (
      <EmptyState title="There is no such webhook.">
        <p>It may have been deleted, or it may belong to another account.</p>
        <ButtonLink href="/webhooks?deleted=only">Deleted webhooks</ButtonLink>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="This webhook is deleted.">
      <p>
        <Untrusted text={deleted.data.name} />
      </p>
      <p>Its deliveries are skipped. A restored webhook is active and keeps its subscriptions.</p>
      {canWrite && <RestoreButton id={deleted.data.id} />}
    </EmptyState>
  );
}
