import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { unwrap } from '../../api/client.js';
import type { Attempt } from '../../api/schemas.js';
import { StatusBadge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { CodeBlock, CopyButton } from '../../components/code-block.js';
import { Dialog } from '../../components/dialog.js';
import { EmptyState, QueryView, Skeleton } from '../../components/states.js';
import { type Column, Table } from '../../components/table.js';
import { PhoneNumber, Time, Untrusted } from '../../components/text.js';
import { Page } from '../../layout/page.js';
import { AdviceText, ExchangeView } from '../../resources/attempts.js';
import { deliveryQuery, type DeliveryWithPayload, MessageLink } from '../../resources/deliveries.js';
import { errorLabel } from '../../resources/errors.js';
import { eventLabel } from '../../resources/events.js';
import { numberFilter, useFilters } from '../../resources/filters.js';
import { WebhookLink } from '../../resources/webhooks.js';
import { useApi } from '../../session/session.js';
import { formatMs } from '../../text/format.js';
import { Actions, Outcome } from './outcome.js';
import './deliveries.css';

const parsers = { attempt: numberFilter(1, 1_000_000_000) };

/** One delivery: its state, advice, attempts and event. */
export default function DeliveryScreen() {
  const api = useApi();
  const { id = '' } = useParams<{ id: string }>();
  const query = useQuery(deliveryQuery(api, id));
  const filters = useFilters(parsers);
  return (
    <Page title="Delivery" subtitle={<Link href="/deliveries">All deliveries</Link>} filters={filters}>
      <QueryView query={query} skeleton={<Skeleton height="40rem" />}>
        {(delivery) => (
          <>
            <Outcome delivery={delivery}>
              <Actions delivery={delivery} onSent={() => filters.change({ attempt: undefined })} />
            </Outcome>
            <AttemptsSection delivery={delivery} number={filters.values.attempt} />
            <EventDetails delivery={delivery} />
          </>
        )}
      </QueryView>
    </Page>
  );
}

function AttemptsSection({ delivery, number }: { delivery: DeliveryWithPayload; number: number | undefined }) {
  const { attempts, attempt_count: count } = delivery;
  const selected = attempts.find((attempt) => attempt.number === number) ?? attempts.at(-1);
  return (
    <>
      <section aria-labelledby="attempts">
        <div className="section-header">
          <h2 id="attempts">Attempts</h2>
          {count > attempts.length && (
            <span className="hint">
              The newest {attempts.length} of {count}
            </span>
          )}
        </div>
        {number !== undefined && selected?.number !== number && <p className="notice">There is no attempt {number}.</p>}
        {selected ? (
          <Attempts delivery={delivery} selected={selected} />
        ) : (
          <EmptyState title="There are no attempts yet." />
        )}
      </section>
      {selected && <AttemptView delivery={delivery} attempt={selected} />}
    </>
  );
}

const kindLabels: Record<string, string> = { scheduled: 'Scheduled', resend: 'Sent again', test: 'Test' };

type AttemptsProps = { delivery: DeliveryWithPayload; selected: Attempt };

/** The list of attempts. The selected one is shown below it. */
function Attempts({ delivery, selected }: AttemptsProps) {
  const columns: Column<Attempt>[] = [
    {
      header: 'Attempt',
      isRowHeader: true,
      cell: ({ number }) => (
        <Link
          href={`/deliveries/${delivery.id}?attempt=${number}`}
          aria-current={number === selected.number ? 'true' : undefined}
        >
          Attempt&nbsp;{number}
        </Link>
      ),
    },
    { header: 'Result', cell: (attempt) => <AttemptBadge attempt={attempt} /> },
    {
      header: 'Started',
      cell: ({ started_at }) => (
        <span className="nowrap">
          <Time value={started_at} />
        </span>
      ),
    },
    { header: 'Duration', align: 'end', cell: ({ timings }) => formatMs(timings.total_ms) },
    { header: 'Kind', isExtra: true, cell: ({ kind }) => kindLabels[kind] ?? kind },
  ];
  return (
    <div className="whole-words">
      <Table
        caption="List of attempts"
        columns={columns}
        rows={[...delivery.attempts].reverse()}
        rowKey={({ number }) => String(number)}
      />
    </div>
  );
}

function AttemptBadge({ attempt: { error, response } }: { attempt: Attempt }) {
  if (error === null) return <StatusBadge tone="success">{`Status ${response?.code ?? '–'}`}</StatusBadge>;
  const text = error === 'status' ? `Status ${response?.code ?? '–'}` : errorLabel(error);
  return <StatusBadge tone="danger">{text}</StatusBadge>;
}

type AttemptViewProps = { delivery: DeliveryWithPayload; attempt: Attempt };

/** One attempt of a delivery. The advice for the newest attempt is above, with the state of the delivery. */
function AttemptView({ delivery, attempt }: AttemptViewProps) {
  const isNewest = delivery.attempts.at(-1) === attempt;
  return (
    <section aria-labelledby="attempt">
      <div className="section-header">
        <h2 id="attempt">Attempt {attempt.number}</h2>
        {isNewest && attempt.request.headers !== null && <CurlButton deliveryId={delivery.id} />}
      </div>
      {!isNewest && <AdviceText attempt={attempt} />}
      <ExchangeView attempt={attempt} isLogged />
    </section>
  );
}

/** Shows the newest request as a curl command. */
function CurlButton({ deliveryId }: { deliveryId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Copy as curl</Button>
      <Dialog title="The request as a curl command" isOpen={isOpen} onClose={() => setOpen(false)}>
        <Command deliveryId={deliveryId} />
        <div className="actions">
          <Button onClick={() => setOpen(false)}>Close</Button>
        </div>
      </Dialog>
    </>
  );
}

function Command({ deliveryId: id }: { deliveryId: string }) {
  const api = useApi();
  const query = useQuery({
    queryKey: ['delivery', id, 'curl'],
    queryFn: async ({ signal }) => {
      const params = { path: { id } };
      return (await unwrap(api.GET('/developer/deliveries/{id}/curl', { params, signal }))).data.command;
    },
  });
  return (
    <>
      <p>
        Set the environment variable <code>WEBHOOK_TOKEN</code> to the token that the receiver expects, or{' '}
        <code>WEBHOOK_USER_PASSWORD</code> to the user and password of the address, if it has them.
      </p>
      <QueryView query={query} skeleton={<Skeleton height="12rem" />}>
        {(command) => <CodeBlock label="Command" text={command} />}
      </QueryView>
    </>
  );
}

/** The event of the delivery, with its payload. */
function EventDetails({ delivery }: { delivery: DeliveryWithPayload }) {
  const { id, message_id: messageId, identity } = delivery;
  return (
    <section aria-labelledby="event">
      <div className="section-header">
        <h2 id="event">Event</h2>
      </div>
      <div className="columns">
        <dl className="facts">
          <dt>Event</dt>
          <dd>
            {eventLabel(delivery.event)} <span className="code hint">{delivery.event}</span>
          </dd>
          <dt>Message</dt>
          <dd>
            <MessageLink id={messageId} />
          </dd>
          <dt>Number</dt>
          <dd>
            <PhoneNumber number={delivery.mobile} />
          </dd>
          {identity !== null && (
            <>
              <dt>Identity</dt>
              <dd>
                <Untrusted text={identity} />
              </dd>
            </>
          )}
          <dt>Webhook</dt>
          <dd>
            <WebhookLink id={delivery.webhook_id} />
          </dd>
          <dt>Received</dt>
          <dd>
            <Time value={delivery.received_at} />
          </dd>
          <dt>Delivery</dt>
          <dd>
            <span className="code">{id}</span> <CopyButton text={id} label="Copy the id of the delivery" />
          </dd>
        </dl>
        <CodeBlock label="Payload of the event" text={delivery.payloadText} />
      </div>
    </section>
  );
}
