import { useQuery } from '@tanstack/react-query';
import { QueryView } from '../../../components/query-view.js';
import { Skeleton } from '../../../components/states.js';
import { useApi } from '../../../session/session-context.js';
import { apiDocumentQuery, type ApiDocument, type Operation } from '../api-document.js';
import { OperationField } from './operation-field.js';
import { RequestForm } from './request-form.js';

type ConsoleProps = { operationId: string | undefined; onOperation: (id: string) => void };

/** The console: sends requests to the API with the permissions of this session. */
export function Console(props: ConsoleProps) {
  const query = useQuery(apiDocumentQuery(useApi()));
  return (
    <>
      <p>
        Requests are real and have the permissions of this session. Requests that may change data need a confirmation.
      </p>
      <QueryView query={query} skeleton={<Skeleton height="30rem" />}>
        {(document) => <Operations document={document} {...props} />}
      </QueryView>
    </>
  );
}

function Operations({ document, operationId, onOperation }: ConsoleProps & { document: ApiDocument }) {
  const { operations, baseUrl } = document;
  const chosen = operations.find(({ id }) => id === operationId) ?? defaultOf(operations);
  if (!chosen) return <p className="notice">The description of the API has no operations.</p>;
  return (
    <>
      {operationId !== undefined && chosen.id !== operationId && <p className="notice">There is no such operation.</p>}
      <OperationField operations={operations} value={chosen.id} onChange={onOperation} />
      <RequestForm key={chosen.id} operation={chosen} baseUrl={baseUrl} />
    </>
  );
}

const defaultOf = (operations: Operation[]) => operations.find(({ method }) => method === 'GET') ?? operations[0];
