import { useQuery } from '@tanstack/react-query';
import { pathFromPortal } from '../../api/config.js';
import type { EventKind } from '../../api/schemas.js';
import { CodeBlock } from '../../components/code-block.js';
import { QueryView, Skeleton } from '../../components/states.js';
import { Page, Tabs } from '../../layout/page.js';
import { eventKindsQuery, eventLabel } from '../../resources/events.js';
import { choiceFilter, idFilter, useFilters } from '../../resources/filters.js';
import { useApi } from '../../session/session.js';
import { Access } from './access.js';
import { Signatures } from './signatures.js';
import './developer.css';

const tabs = [
  { name: 'access', label: 'Access' },
  { name: 'signatures', label: 'Signatures' },
  { name: 'events', label: 'Events' },
] as const;

const parsers = {
  tab: choiceFilter(tabs.map(({ name }) => name)),
  webhook_id: idFilter,
};

/** Information for developers who call the API and receive callbacks. */
export default function DeveloperScreen() {
  const filters = useFilters(parsers);
  const { values, change } = filters;
  const tab = values.tab ?? 'access';
  const reference = (
    <a className="button" href={pathFromPortal('../docs')} target="_blank" rel="noreferrer">
      API reference (new window)
    </a>
  );
  return (
    <Page title="Developer" actions={reference} filters={filters}>
      <Tabs label="Developer pages" tabs={tabs} current={tab} />
      {tab === 'access' && <Access />}
      {tab === 'signatures' && (
        <Signatures webhookId={values.webhook_id} onWebhook={(id) => change({ webhook_id: id })} />
      )}
      {tab === 'events' && <EventCatalogue />}
    </Page>
  );
}

/** The kinds of events, each with an example and the schema of its callback. */
function EventCatalogue() {
  const query = useQuery(eventKindsQuery(useApi()));
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
