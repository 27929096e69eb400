import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button } from '../../../components/button.js';
import { CopyButton } from '../../../components/copy-button.js';
import { Dialog } from '../../../components/dialog.js';
import { FormErrorList, TextAreaField } from '../../../components/field.js';
import { Untrusted } from '../../../components/untrusted.js';
import type { Scope } from '../../../data/schemas.js';
import { useApi, useSession } from '../../../session/session-context.js';
import type { Operation } from '../api-document.js';
import { ParameterFields } from './parameter-fields.js';
import { missingParameters, pathWithQuery, type RequestDraft, send, toCurl } from './send.js';
import { ResponseView } from './response-view.js';

type RequestFormProps = { operation: Operation; baseUrl: string };

/** The form of an operation's request, with the response beside it. */
export function RequestForm({ operation, baseUrl }: RequestFormProps) {
  const [draft, setDraft] = useState<RequestDraft>({ values: {}, body: operation.body ?? '' });
  const [wasSubmitted, setSubmitted] = useState(false);
  const [isConfirming, setConfirming] = useState(false);
  const request = useRequest(operation);
  const missing = wasSubmitted ? missingParameters(operation, draft).map(({ name }) => name) : [];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (missingParameters(operation, draft).length > 0 || request.isPending) return;
    if (operation.method === 'GET') request.mutate(draft);
    else setConfirming(true);
  };
  const confirm = () => {
    setConfirming(false);
    request.mutate(draft);
  };
  const setValue = (name: string, value: string) => setDraft({ ...draft, values: { ...draft.values, [name]: value } });
  return (
    <div className="console">
      <form onSubmit={submit} noValidate>
        <Description operation={operation} />
        <ParameterFields operation={operation} values={draft.values} onChange={setValue} missing={missing} />
        {operation.body !== undefined && (
          <TextAreaField
            label="Body (JSON)"
            value={draft.body}
            onChange={(body) => setDraft({ ...draft, body })}
            rows={10}
            spellCheck={false}
          />
        )}
        <RequestLine operation={operation} draft={draft} />
        <FormErrorList messages={request.error ? [request.error.message] : []} />
        <div className="actions">
          <Button type="submit" variant="primary" isBusy={request.isPending}>
            Send request
          </Button>
          <CopyButton text={toCurl(baseUrl, operation, draft)} label="Copy as curl">
            Copy as curl
          </CopyButton>
        </div>
      </form>
      <ResponseView response={request.data} isPending={request.isPending} />
      <Dialog title={`Send ${operation.method}?`} isOpen={isConfirming} onClose={() => setConfirming(false)}>
        <p>{operation.summary}. The request is real and may change data of the account.</p>
        <RequestLine operation={operation} draft={draft} />
        <div className="actions">
          <Button variant={operation.method === 'DELETE' ? 'danger' : 'primary'} onClick={confirm}>
            Send {operation.method}
          </Button>
          <Button onClick={() => setConfirming(false)}>Cancel</Button>
        </div>
      </Dialog>
    </div>
  );
}

function RequestLine({ operation, draft }: { operation: Operation; draft: RequestDraft }) {
  return (
    <p className="console-line code">
      {operation.method} <Untrusted text={pathWithQuery(operation, draft)} />
    </p>
  );
}

function useRequest(operation: Operation) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (draft: RequestDraft) => send(api, operation, draft),
    // The request may have changed data that other screens show.
    onSuccess: () => (operation.method === 'GET' ? undefined : queries.invalidateQueries({ refetchType: 'none' })),
    gcTime: 0,
  });
}

function Description({ operation: { description, scope } }: { operation: Operation }) {
  const { scopes } = useSession().session;
  const isScopeMissing = scope !== undefined && !scopes.includes(scope as Scope);
  return (
    <>
      {description?.split('\n\n').map((text) => (
        <p className="hint" key={text}>
          {text.replaceAll('`', '')}
        </p>
      ))}
      {isScopeMissing && (
        <p className="notice">This session lacks the scope {scope}, so the API will refuse the request.</p>
      )}
    </>
  );
}
