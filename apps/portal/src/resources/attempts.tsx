import type { Attempt } from '../api/schemas.js';
import { CodeBlock } from '../components/code-block.js';
import { MaskedText, Untrusted } from '../components/text.js';
import { formatMs } from '../text/format.js';
import { failureLabel } from './errors.js';

type ExchangeViewProps = {
  attempt: Attempt;
  /** Whether the attempt is from the delivery log, which stores only the first KiB of a response's body. */
  isLogged?: boolean;
};

/** The HTTP exchange of an attempt: template warnings, timings, and the request beside the response. */
export function ExchangeView({ attempt, isLogged = false }: ExchangeViewProps) {
  return (
    <>
      <Warnings warnings={attempt.warnings} />
      <Timings attempt={attempt} />
      <div className="columns">
        <Request attempt={attempt} />
        <Response attempt={attempt} isLogged={isLogged} />
      </div>
    </>
  );
}

function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <div className="notice">
      <p>The templates of the webhook could not be filled in completely:</p>
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>
            <Untrusted text={warning} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Timings({ attempt: { timings, response, remote_address: address } }: { attempt: Attempt }) {
  const { dns_ms: dns, connect_ms: connect, tls_ms: tls, first_byte_ms: firstByte, total_ms: total } = timings;
  const known: [string, number | null][] = [
    ['DNS', dns],
    ['Connect', connect],
    ['TLS', tls],
    ['First byte', firstByte],
  ];
  const phases: Phase[] = known.flatMap(([label, ms]) => (ms === null ? [] : [{ label, ms }]));
  const rest = total - phases.reduce((sum, { ms }) => sum + ms, 0);
  // The phases are rounded, so a rest below 1 ms means nothing.
  if (rest >= 1 || phases.length === 0)
    phases.push({ label: response ? 'Rest' : 'No response', ms: Math.max(0, rest) });
  const isReused = firstByte !== null && connect === null;
  return (
    <div className="timings">
      <PhaseMeter label="Total time" phases={phases} />
      {address !== null && (
        <p className="hint">
          Connected to <span className="code">{address}</span>
          {isReused && ', on a reused connection'}.
        </p>
      )}
    </div>
  );
}

function Request({ attempt: { request } }: { attempt: Attempt }) {
  return (
    <div>
      <h3>Request</h3>
      <p className="code request-line">
        POST <MaskedText text={request.url} />
      </p>
      {request.headers === null ? (
        <p className="hint">The headers and body were not stored.</p>
      ) : (
        <>
          <CodeBlock label="Request headers" text={headerText(request.headers)} />
          <CodeBlock label="Request body" text={request.body ?? ''} />
        </>
      )}
    </div>
  );
}

// A stored body ends at 1,024 bytes, and a character has up to 4. So a truncated body has at least 256 characters.
const minTruncatedLength = 1_024 / 4;

function Response({ attempt: { response, error_code: code }, isLogged }: Required<ExchangeViewProps>) {
  if (response === null) {
    return (
      <div>
        <h3>Response</h3>
        <p className="request-line">None. Error code: {code === null ? '–' : <code>{code}</code>}</p>
      </div>
    );
  }
  return (
    <div>
      <h3>Response</h3>
      <p className="code request-line">Status {response.code}</p>
      {response.headers === null ? (
        <p className="hint">The headers were not stored.</p>
      ) : (
        <CodeBlock label="Response headers" text={headerText(response.headers)} />
      )}
      <CodeBlock label="Response body" text={response.body} />
      {isLogged && response.body.length >= minTruncatedLength && (
        <p className="hint">Only the first KiB of the body is stored.</p>
      )}
    </div>
  );
}

/** One header per line. Line breaks in values become spaces. */
const headerText = (headers: object) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${String(value)}`.replaceAll(/[\r\n]+/g, ' '))
    .join('\n');

type Phase = { label: string; ms: number };

/** The phases of a request, in order, as a bar and as a list. */
function PhaseMeter({ label, phases }: { label: string; phases: readonly Phase[] }) {
  const total = phases.reduce((sum, { ms }) => sum + ms, 0);
  return (
    <figure className="meter">
      <figcaption>
        {label}: {formatMs(total)}
      </figcaption>
      <div className="meter-bar" aria-hidden="true">
        {phases.map((phase, index) => (
          <span className={`series-${index + 1}`} style={{ flexGrow: phase.ms }} key={phase.label} />
        ))}
      </div>
      <ul className="legend">
        {phases.map((phase, index) => (
          <li key={phase.label}>
            <span className={`swatch series-${index + 1}`} aria-hidden="true" />
            {phase.label} {formatMs(phase.ms)}
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** Why an attempt failed, and what to do. Nothing if it succeeded. */
export function AdviceText({ attempt: { error, response, advice } }: { attempt: Attempt }) {
  if (error === null || advice === undefined) return null;
  return (
    <div className="advice">
      <h3>Why: {failureLabel({ error, response_code: response?.code ?? null, reason: null })}</h3>
      <p>
        <MaskedText text={advice} />
      </p>
    </div>
  );
}
