import { useLocation } from 'wouter';
import { FilterProblems } from '../../components/filter-problems.js';
import { EmptyState } from '../../components/states.js';
import { Page } from '../../layout/page.js';
import { textFilter, useFilters } from '../../resources/filters.js';
import { usePreferences } from '../../session/preferences.js';
import { NumberResults } from '../messages/messages.js';
import { MessageView } from './message-view.js';
import { SearchForm } from './search-form.js';
import '../messages/messages.css';

const parsers = { id: textFilter(), mobile: textFilter() };

/** Finds messages by id or phone number, and shows the history of one. */
export default function MessagesScreen() {
  const [, navigate] = useLocation();
  const { isMasked } = usePreferences();
  const { values, problems, clear } = useFilters(parsers);
  const { id, mobile } = values;
  return (
    <Page title="Messages" subtitle="Follow one message through its events, callbacks and attempts.">
      <FilterProblems problems={problems} onClear={clear} />
      <SearchForm
        text={id ?? (isMasked ? '' : (mobile ?? ''))}
        onSearch={(search) => navigate(`/messages?${new URLSearchParams(search).toString()}`)}
      />
      {id !== undefined && <MessageView id={id} key={id} />}
      {id === undefined && mobile !== undefined && <NumberResults mobile={mobile} key={mobile} />}
      {id === undefined && mobile === undefined && (
        <EmptyState title="Search for a message.">
          <p>Enter a message id, or the phone number of the recipient or sender.</p>
        </EmptyState>
      )}
    </Page>
  );
}
