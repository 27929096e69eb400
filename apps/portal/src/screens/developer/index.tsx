import { FilterProblems } from '../../components/filter-problems.js';
import { Tabs } from '../../components/tabs.js';
import { Page } from '../../layout/page.js';
import { choiceFilter, idFilter, useFilters } from '../../resources/filters.js';
import { Access } from './access.js';
import { EventCatalogue } from './developer.js';
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
  const { values, problems, change, clear } = useFilters(parsers);
  const tab = values.tab ?? 'access';
  const reference = (
    <a className="button" href="/docs" target="_blank" rel="noreferrer">
      API reference (new window)
    </a>
  );
  return (
    <Page title="Developer" actions={reference}>
      <FilterProblems problems={problems} onClear={clear} />
      <Tabs label="Developer pages" tabs={tabs} current={tab} />
      {tab === 'access' && <Access />}
      {tab === 'signatures' && (
        <Signatures webhookId={values.webhook_id} onWebhook={(id) => change({ webhook_id: id })} />
      )}
      {tab === 'events' && <EventCatalogue />}
    </Page>
  );
}
