import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Delivery } from '../../api/schemas.js';
import { Button } from '../../components/button.js';
import { TextField } from '../../components/fields.js';
import { EmptyState, QueryView, Skeleton } from '../../components/states.js';
import { type Column, Pager, Table } from '../../components/table.js';
import { PhoneNumber, Time } from '../../components/text.js';
import { Page } from '../../layout/page.js';
import { DeliveryBadge, MessageLink, useDeliveryPages } from '../../resources/deliveries.js';
import { textFilter, useFilters } from '../../resources/filters.js';
import { usePreferences } from '../../session/preferences.js';
import { MessageView } from './message.js';
import './messages.css';

const parsers = { id: textFilter(), mobile: textFilter() };

/** Finds messages by id or phone number, and shows the history of one. */
export default function MessagesScreen() {
  const [, navigate] = useLocation();
  const { isMasked } = usePreferences();
  const filters = useFilters(parsers);
  const { id, mobile } = filters.values;
  return (
    <Page title="Messages" subtitle="Follow one message through its events, callbacks and attempts." filters={filters}>
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

type SearchFormProps = { text: string; onSearch: (search: { id?: string; mobile?: string }) => void };

/** Searches for a message by its id, or for the messages of a number. */
function SearchForm({ text, onSearch }: SearchFormProps) {
  const [draft, setDraft] = useState({ from: text, text });
  // When the URL has another message id or number, this replaces the draft.
  if (draft.from !== text) setDraft({ from: text, text });
  const [errors, setErrors] = useState<string[]>([]);
  const search = () => {
    const trimmed = draft.text.trim();
    setErrors(trimmed === '' ? ['Enter a message id or a number.'] : []);
    if (trimmed !== '') onSearch(parseSearch(trimmed));
  };
  return (
    <form
      role="search"
      className="message-search"
      onSubmit={(event) => {
        event.preventDefault();
        search();
      }}
    >
      <TextField
        label="Message id or number"
        value={draft.text}
        onChange={(value) => setDraft({ ...draft, text: value })}
        errors={errors}
        maxLength={255}
        autoComplete="off"
        spellCheck={false}
      />
      <Button type="submit" variant="primary">
        Search
      </Button>
    </form>
  );
}

/** 8 to 15 digits, with or without separators and a plus sign, are a phone number. Everything else is a message id. */
function parseSearch(text: string): { id?: string; mobile?: string } {
  const number = text.replaceAll(/[\s().-]/g, '');
  return /^\+?\d{8,15}$/.test(number) ? { mobile: number } : { id: text };
}

type MessageRow = { id: string; deliveries: Delivery[] };

const perPage = 50;

const messageColumns: Column<MessageRow>[] = [
  {
    header: 'Message',
    isRowHeader: true,
    cell: ({ id }) => <MessageLink id={id} />,
  },
  { header: 'Newest callback', cell: ({ deliveries: [newest] }) => newest && <Time value={newest.created_at} /> },
  { header: 'States', cell: ({ deliveries }) => <States deliveries={deliveries} /> },
];

/** The messages of a phone number. Each page of deliveries is one page of messages. */
function NumberResults({ mobile }: { mobile: string }) {
  const pages = useDeliveryPages({ 'filter[mobile]': mobile, per_page: perPage });
  return (
    <section aria-labelledby="messages">
      <div className="section-header">
        <h2 id="messages">
          Messages of <PhoneNumber number={mobile} />
        </h2>
      </div>
      <QueryView query={pages.query} skeleton={<Skeleton height="20rem" />}>
        {({ data }) =>
          data.length === 0 ? (
            <NoMessages mobile={mobile} />
          ) : (
            <>
              <div className="whole-words">
                <Table
                  caption="List of messages"
                  columns={messageColumns}
                  rows={messagesOf(data)}
                  rowKey={({ id }) => id}
                />
              </div>
              <Pager label="messages" {...pages} />
            </>
          )
        }
      </QueryView>
    </section>
  );
}

/** The messages of deliveries, in the order of their newest delivery. */
function messagesOf(deliveries: readonly Delivery[]): MessageRow[] {
  const rows = new Map<string, Delivery[]>();
  for (const delivery of deliveries) {
    if (delivery.message_id === null) continue;
    rows.set(delivery.message_id, [...(rows.get(delivery.message_id) ?? []), delivery]);
  }
  return [...rows].map(([id, ofMessage]) => ({ id, deliveries: ofMessage }));
}

function States({ deliveries }: { deliveries: readonly Delivery[] }) {
  return (
    <span className="message-states">
      {[...new Set(deliveries.map(({ state }) => state))].map((state) => (
        <DeliveryBadge state={state} key={state} />
      ))}
    </span>
  );
}

/** Suggests the other form of the number: platforms write numbers with or without a plus sign. */
function NoMessages({ mobile }: { mobile: string }) {
  const other = mobile.startsWith('+') ? mobile.slice(1) : `+${mobile}`;
  return (
    <EmptyState title="There are no callbacks for this number.">
      <p>Enter the number as it is in the events, with its country code.</p>
      <p>
        <Link href={`/messages?mobile=${encodeURIComponent(other)}`}>
          Search {mobile.startsWith('+') ? 'without' : 'with'} a plus sign
        </Link>{' '}
        or <Link href={`/messages?id=${encodeURIComponent(mobile)}`}>search for a message with this id</Link>.
      </p>
    </EmptyState>
  );
}
