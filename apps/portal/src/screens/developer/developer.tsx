import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.js';
import type { EventKind } from '../../api/schemas.js';
import { CodeBlock } from '../../components/code-block.js';
import { QueryView } from '../../components/query-view.js';
import { Skeleton } from '../../components/states.js';
import { eventLabel } from '../../resources/events.js';
import { useApi } from '../../session/session-context.js';

/** The kinds of events, each with an example and the schema of its callback. */
export function EventCatalogue() {
  const api = useApi();
  const query = useQuery({
    queryKey: ['events', 'kinds'],
    queryFn: async ({ signal }) => (await unwrap(api.GET('/developer/events', { signal }))).data,
    staleTime: Infinity,
  });
  return (
    <>
      <p>The bodies of callbacks without a template. Fields may be absent, and fields may be added.</p>
      <QueryView query={query} skeleton={<Skeleton height="40rem" />}>
        {(kinds) => kinds.map((kind) => <Kind key={kind.event} kind={kind} />)}
      </QueryView>
    </>
  );
}

function Kind({ kind: { event, description, sample, schema } }: { kind: EventKind }) {
  const label = eventLabel(event);
  return (
    <section aria-labelledby={event}>
      <h2 id={event}>
        {label} <span className="hint code">{event}</span>
      </h2>
      <p>{description}</p>
      <CodeBlock label={`Example: ${label}`} text={JSON.stringify(sample)} isUnmasked />
      <details>
        <summary>JSON Schema</summary>
        <CodeBlock label={`Schema: ${label}`} text={JSON.stringify(schema)} isUnmasked />
      </details>
    </section>
  );
}
