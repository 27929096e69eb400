import { CodeBlock } from '../../../components/code-block.js';
import { EmptyState } from '../../../components/states.js';
import { StatusBadge } from '../../../components/status-badge.js';
import { formatBytes, formatMs } from '../../../text/numbers.js';
import type { Answer } from './send.js';

/** The response of the API: status, headers and body. */
export function ResponseView({ answer, isPending }: { answer: Answer | undefined; isPending: boolean }) {
  return (
    <section aria-labelledby="answer" aria-busy={isPending}>
      <h2 id="answer">Answer</h2>
      <div role="status">{answer && <Status answer={answer} />}</div>
      {answer ? (
        <>
          <CodeBlock label="Body" text={answer.body} />
          <CodeBlock label="Headers" text={answer.headers} isUnmasked />
        </>
      ) : (
        <EmptyState title={isPending ? 'The request is under way.' : 'There is no answer yet.'} />
      )}
    </section>
  );
}

function Status({ answer: { status, statusText, ms, body } }: { answer: Answer }) {
  return (
    <p>
      <StatusBadge tone={status < 400 ? 'success' : 'danger'}>{`${status} ${statusText}`.trim()}</StatusBadge>{' '}
      <span className="hint">
        {formatMs(Math.round(ms))}, {formatBytes(new TextEncoder().encode(body).length)}
      </span>
    </p>
  );
}
