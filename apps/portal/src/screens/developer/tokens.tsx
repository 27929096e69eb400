import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '../../api/client.js';
import type { AccessToken } from '../../api/schemas.js';
import { useAnnounce } from '../../components/announcer.js';
import { Button } from '../../components/button.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import { QueryView } from '../../components/query-view.js';
import { EmptyState, Skeleton } from '../../components/states.js';
import { StatusBadge } from '../../components/status-badge.js';
import { type Column, Table } from '../../components/table.js';
import { Time } from '../../components/text.js';
import { useApi, useHasScope } from '../../session/session-context.js';
import { NewTokenDialog } from './new-token-dialog.js';

const tokenColumns: Column<AccessToken>[] = [
  { header: 'Token', isRowHeader: true, cell: ({ id }) => <span className="code">{id}</span> },
  { header: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
  { header: 'Created', isExtra: true, cell: ({ created_at: created }) => <Time value={created} /> },
  { header: 'State', cell: ({ revoked_at: revokedAt }) => <TokenState revokedAt={revokedAt} /> },
  { header: 'Action', cell: ({ id, revoked_at: revokedAt }) => revokedAt === null && <RevokeToken id={id} /> },
];

/** The access tokens of the account. */
export function Tokens() {
  const api = useApi();
  const canWrite = useHasScope('write');
  const [isOpen, setOpen] = useState(false);
  const query = useQuery({
    queryKey: ['tokens'],
    queryFn: async ({ signal }) => (await unwrap(api.GET('/developer/tokens', { signal }))).data,
  });
  return (
    <section aria-labelledby="tokens">
      <div className="section-header">
        <h2 id="tokens">Access tokens</h2>
        {canWrite && <Button onClick={() => setOpen(true)}>New access token</Button>}
      </div>
      <p className="hint">Send a token as “Authorization: Bearer …”. The service stores only its hash.</p>
      <QueryView query={query} skeleton={<Skeleton height="10rem" />}>
        {(tokens) =>
          tokens.length === 0 ? (
            <EmptyState title="There are no access tokens." />
          ) : (
            <div className="roomy">
              <Table caption="Access tokens" columns={tokenColumns} rows={tokens} rowKey={({ id }) => id} />
            </div>
          )
        }
      </QueryView>
      {isOpen && <NewTokenDialog onClose={() => setOpen(false)} />}
    </section>
  );
}

function TokenState({ revokedAt }: { revokedAt: string | null }) {
  if (revokedAt === null) return <StatusBadge tone="success">Active</StatusBadge>;
  return (
    <>
      <StatusBadge tone="neutral">Revoked</StatusBadge>{' '}
      <span className="hint">
        <Time value={revokedAt} />
      </span>
    </>
  );
}

function RevokeToken({ id }: { id: string }) {
  const api = useApi();
  const canWrite = useHasScope('write');
  const announce = useAnnounce();
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => unwrap(api.DELETE('/developer/tokens/{id}', { params: { path: { id } } })),
    onSuccess: () => {
      announce('The access token was revoked.');
      return queries.invalidateQueries({ queryKey: ['tokens'] });
    },
    onError: (failure) => announce(failure.message),
  });
  if (!canWrite) return null;
  return (
    <ConfirmButton
      label="Revoke"
      name={`Revoke the token ${id}`}
      title="Revoke this access token?"
      variant="quiet"
      isBusy={revoke.isPending}
      onConfirm={() => revoke.mutate()}
    >
      <p>
        Programs that use <code>{id}</code> then get the status 401. Portal sessions that this token created end, too.
        This cannot be undone.
      </p>
    </ConfirmButton>
  );
}
