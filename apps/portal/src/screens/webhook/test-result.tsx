import { CodeBlock } from '../../components/code-block.js';
import { MaskedText } from '../../components/masked-text.js';
import { type Phase, PhaseMeter } from '../../components/meter.js';
import { StatusBadge } from '../../components/status-badge.js';
import { Untrusted } from '../../components/untrusted.js';
import type { Attempt, TestCall } from '../../data/schemas.js';
import { errorWords, failureLabel } from '../../words/errors.js';

/** The result of a test call: what was sent, and the whole answer. */
export function TestResult({ call: { attempt, id } }: { call: TestCall }) {
  const { request, response, warnings, error } = attempt;
  return (
    <section aria-labelledby="result">
      <h2 id="result">Result</h2>
      <Outcome attempt={attempt} />
      {error !== null && <Advice error={error} code={attempt.error_code} />}
      {warnings.map((warning) => (
        <p className="notice" key={warning}>
          <Untrusted text={warning} />
        </p>
      ))}
      <PhaseMeter label="Total time" phases={phasesOf(attempt)} />
      <div className="pair result-pair">
        <div>
          <h3>Request</h3>
          <p className="code">
            POST <MaskedText text={request.url} />
          </p>
          <CodeBlock label="Request headers" text={headerText(request.headers)} />
          <CodeBlock label="Request body" text={request.body ?? ''} />
        </div>
        <div>
          <h3>Response</h3>
          {response === null ? (
            <p>There was none.</p>
          ) : (
            <>
              <p className="code">Status {response.code}</p>
              <CodeBlock label="Response headers" text={headerText(response.headers)} />
              <CodeBlock label="Response body" text={response.body} />
            </>
          )}
        </div>
      </div>
      <p className="hint">
        X-Ringback-Delivery: <span className="code">{id}</span>. The delivery log does not have test calls.
      </p>
    </section>
  );
}

function Outcome({ attempt: { error, response } }: { attempt: Attempt }) {
  const code = response?.code ?? null;
  return (
    <p className="result-outcome">
      {error === null ? (
        <>
          <StatusBadge tone="success">Accepted</StatusBadge> The receiver answered with the status {code}.
        </>
      ) : (
        <StatusBadge tone="danger">{failureLabel({ error, response_code: code, reason: null })}</StatusBadge>
      )}
    </p>
  );
}

function Advice({ error, code }: { error: NonNullable<Attempt['error']>; code: string | null }) {
  const { meaning, action } = errorWords(error);
  return (
    <div className="notice danger">
      <p>
        {meaning} {code !== null && <code>{code}</code>}
      </p>
      <p>
        <strong>What to do:</strong> {action}
      </p>
    </div>
  );
}

function phasesOf({ timings, response }: Attempt): Phase[] {
  const known: [string, number | null][] = [
    ['DNS', timings.dns_ms],
    ['Connect', timings.connect_ms],
    ['TLS', timings.tls_ms],
    ['First byte', timings.first_byte_ms],
  ];
  const phases = known.flatMap(([label, ms]) => (ms === null ? [] : [{ label, ms }]));
  const rest = timings.total_ms - phases.reduce((sum, { ms }) => sum + ms, 0);
  // The phases are rounded.
  return rest >= 1 || phases.length === 0
    ? [...phases, { label: response ? 'Rest' : 'Without an answer', ms: Math.max(0, rest) }]
    : phases;
}

/** One header a line, whatever the values hold. */
const headerText = (headers: object | null) =>
  Object.entries(headers ?? {})
    .map(([name, value]) => `${name}: ${String(value)}`.replaceAll(/[\r\n]+/g, ' '))
    .join('\n');
