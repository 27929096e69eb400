import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { unwrap } from '../../api/client.js';
import type { Scope } from '../../api/schemas.js';
import { Button } from '../../components/button.js';
import { CopyButton } from '../../components/copy-button.js';
import { Dialog } from '../../components/dialog.js';
import { FormErrorList } from '../../components/fields.js';
import { useApi, useSession } from '../../session/session-context.js';

const meanings: Record<Scope, string> = {
  read: 'read everything except signing secrets, including the Bearer secrets of webhooks',
  write: 'change webhooks, subscriptions and tokens, make test calls, and read signing secrets',
  replay: 'send deliveries again, start and stop replays',
};

/** Creates an access token and shows it once. */
export function NewTokenDialog({ onClose }: { onClose: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: (scopes: Scope[]) => unwrap(api.POST('/developer/tokens', { body: { scopes } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['tokens'] }),
    gcTime: 0,
  });
  const token = create.data?.data.token;
  return (
    <Dialog title="New access token" isOpen onClose={onClose}>
      {token === undefined ? (
        <ScopeForm
          isBusy={create.isPending}
          failure={create.error?.message}
          onCreate={(scopes) => create.mutate(scopes)}
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

type ScopeFormProps = {
  isBusy: boolean;
  failure: string | undefined;
  onCreate: (scopes: Scope[]) => void;
  onClose: () => void;
};

/** The scopes of the new token. The session can grant only its own scopes. */
function ScopeForm({ isBusy, failure, onCreate, onClose }: ScopeFormProps) {
  const { scopes: own } = useSession().session;
  const [chosen, setChosen] = useState<Scope[]>(['read']);
  const [isEmpty, setEmpty] = useState(false);
  const toggle = (scope: Scope, isOn: boolean) =>
    setChosen(own.filter((each) => (each === scope ? isOn : chosen.includes(each))));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setEmpty(chosen.length === 0);
    if (chosen.length > 0 && !isBusy) onCreate(chosen);
  };
  const problem = isEmpty ? 'Choose at least one scope.' : failure;
  return (
    <form onSubmit={submit}>
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
