import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { unwrap } from '../../api/client.js';
import type { AccessToken, Scope } from '../../api/schemas.js';
import { StatusBadge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { CopyButton } from '../../components/code-block.js';
import { ConfirmButton, Dialog } from '../../components/dialog.js';
import { FormErrorList, TextField } from '../../components/fields.js';
import { EmptyState, NoPermission, QueryView, Skeleton } from '../../components/states.js';
import { type Column, Table } from '../../components/table.js';
import { Time } from '../../components/text.js';
import { useAction } from '../../resources/requests.js';
import { useApi, useHasScope, useSeesAllWebhooks, useSession } from '../../session/session.js';

/** The base URL of the API, the account's id, and its access tokens. */
export function Access() {
  const seesAllWebhooks = useSeesAllWebhooks();
  const { session, apiPath } = useSession();
  const baseUrl = `${window.location.origin}${apiPath}`;
  return (
    <>
      <section aria-labelledby="base-url">
        <h2 id="base-url">Base URL</h2>
        <dl className="facts">
          <dt>API</dt>
          <dd>
            <code>{baseUrl}</code> <CopyButton text={baseUrl} label="Copy the base URL" />
          </dd>
          <dt>Account</dt>
          <dd>
            <code>{session.account.id}</code>{' '}
            <CopyButton text={session.account.id} label="Copy the id of the account" />
          </dd>
        </dl>
      </section>
      {seesAllWebhooks ? <Tokens /> : <NoPermission what="see the access tokens of the account" />}
    </>
  );
}

const tokenColumns: Column<AccessToken>[] = [
  {
    header: 'Token',
    isRowHeader: true,
    cell: ({ id, name }) => (
      <>
        {name !== undefined && <div>{name}</div>}
        <span className="code">{id}</span>
      </>
    ),
  },
  { header: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
  { header: 'Created', isExtra: true, cell: ({ created_at: created }) => <Time value={created} /> },
  { header: 'State', cell: ({ revoked_at: revokedAt }) => <TokenState revokedAt={revokedAt} /> },
  { header: 'Action', cell: ({ id, revoked_at: revokedAt }) => revokedAt === null && <RevokeToken id={id} /> },
];

/** The access tokens of the account. */
function Tokens() {
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
  const revoke = useAction({
    send: () => unwrap(api.DELETE('/developer/tokens/{id}', { params: { path: { id } } })),
    done: 'The access token was revoked.',
    changes: [['tokens']],
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

const meanings: Record<Scope, string> = {
  read: 'read everything except signing secrets, including the Bearer secrets of webhooks',
  write: 'change webhooks, subscriptions and tokens, make test calls, and read signing secrets',
  replay: 'send deliveries again, start and stop replays',
};

/** Creates an access token and shows it once. */
function NewTokenDialog({ onClose }: { onClose: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: (body: NewToken) => unwrap(api.POST('/developer/tokens', { body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['tokens'] }),
    gcTime: 0,
  });
  const token = create.data?.data.token;
  return (
    <Dialog title="New access token" isOpen onClose={onClose}>
      {token === undefined ? (
        <TokenForm
          isBusy={create.isPending}
          failure={create.error?.message}
          onCreate={(input) => create.mutate(input)}
          onClose={onClose}
        />
      ) : (
        <>
          <p role="status">The token was created. Copy it now: it cannot be shown again.</p>
          <p className="new-token">
            <code>{token}</code>
          </p>
          <div className="actions">
            <CopyButton text={token} label="Copy the access token" />
            <Button onClick={onClose}>Done</Button>
          </div>
        </>
      )}
    </Dialog>
  );
}

type NewToken = { name: string; scopes: Scope[] };

type TokenFormProps = {
  isBusy: boolean;
  failure: string | undefined;
  onCreate: (input: NewToken) => void;
  onClose: () => void;
};

/** The name and the scopes of the new token. The session can grant only its own scopes. */
function TokenForm({ isBusy, failure, onCreate, onClose }: TokenFormProps) {
  const { scopes: own } = useSession().session;
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<Scope[]>(['read']);
  const [isEmpty, setEmpty] = useState(false);
  const toggle = (scope: Scope, isOn: boolean) =>
    setChosen(own.filter((each) => (each === scope ? isOn : chosen.includes(each))));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setEmpty(chosen.length === 0);
    if (chosen.length > 0 && !isBusy) onCreate({ name, scopes: chosen });
  };
  const problem = isEmpty ? 'Choose at least one scope.' : failure;
  return (
    <form onSubmit={submit}>
      <TextField label="Name" hint="What the token is for. Optional." value={name} maxLength={255} onChange={setName} />
      <fieldset>
        <legend>What the token may do</legend>
        {own.map((scope) => (
          <label className="check" key={scope}>
            <input
              type="checkbox"
              checked={chosen.includes(scope)}
              onChange={({ target }) => toggle(scope, target.checked)}
            />
            <span>
              <strong>{scope}</strong> <span className="hint">{meanings[scope]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <FormErrorList messages={problem === undefined ? [] : [problem]} />
      <div className="actions">
        <Button type="submit" variant="primary" isBusy={isBusy}>
          Create token
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  );
}
