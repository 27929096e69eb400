import { CodeBlock } from '../../../components/code-block.js';
import { EmptyState } from '../../../components/states.js';
import { StatusBadge } from '../../../components/status-badge.js';
import { formatBytes, formatMs } from '../../../text/numbers.js';
import type { ApiResponse } from './send.js';

/** The response of the API: status, headers and body. */
export function ResponseView({ response, isPending }: { response: ApiResponse | undefined; isPending: boolean }) {
  return (
    <section aria-labelledby="response" aria-busy={isPending}>
      <h2 id="response">Response</h2>
      <div role="status">{response && <Status response={response} />}</div>
      {response ? (
        <>
          <CodeBlock label="Body" text={response.body} />
          <CodeBlock label="Headers" text={response.headers} isUnmasked />
        </>
      ) : (
        <EmptyState title={isPending ? 'The request is in progress.' : 'There is no response yet.'} />
      )}
    </section>
  );
}

function Status({ response: { status, statusText, ms, body } }: { response: ApiResponse }) {
  return (
    <p>
      <StatusBadge tone={status < 400 ? 'success' : 'danger'}>{`${status} ${statusText}`.trim()}</StatusBadge>{' '}
      <span className="hint">
        {formatMs(Math.round(ms))}, {formatBytes(new TextEncoder().encode(body).length)}
      </span>
    </p>
  );
}
