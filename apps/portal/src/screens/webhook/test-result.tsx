import type { Attempt, TestCall } from '../../api/schemas.js';
import { AdviceText } from '../../attempt/advice-text.js';
import { adviceFor } from '../../attempt/advice.js';
import { StatusBadge } from '../../components/status-badge.js';
import { ExchangeView } from '../../resources/attempts.js';
import { failureLabel } from '../../resources/errors.js';

/** The result of a test call: the outcome, advice if it failed, the request and the response. */
export function TestResult({ call: { attempt, event, id } }: { call: TestCall }) {
  const advice = adviceFor(event, attempt);
  return (
    <section aria-labelledby="result">
      <h2 id="result">Result</h2>
      <TestOutcome attempt={attempt} />
      {advice && <AdviceText advice={advice} />}
      <ExchangeView attempt={attempt} />
      <p className="hint">
        X-Ringback-Delivery: <span className="code">{id}</span>. Test calls are not in the delivery log.
      </p>
    </section>
  );
}

function TestOutcome({ attempt: { error, response } }: { attempt: Attempt }) {
  const code = response?.code ?? null;
  return (
    <p className="result-outcome">
      {error === null ? (
        <>
          <StatusBadge tone="success">Accepted</StatusBadge> The receiver returned the status {code}.
        </>
      ) : (
        <StatusBadge tone="danger">{failureLabel({ error, response_code: code, reason: null })}</StatusBadge>
      )}
    </p>
  );
}
