import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { unwrap } from '../../api/client.js';
import { StatusBadge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { EmptyState, QueryView, Skeleton } from '../../components/states.js';
import { type Column, Table } from '../../components/table.js';
import { PhoneNumber, Untrusted } from '../../components/text.js';
import { DeliveryBadge } from '../../resources/deliveries.js';
import { errorLabel, failureLabel } from '../../resources/errors.js';
import { eventLabel } from '../../resources/events.js';
import { WebhookLink } from '../../resources/webhooks.js';
import { usePreferences } from '../../session/preferences.js';
import { useApi } from '../../session/session.js';
import { formatCount, formatMs } from '../../text/format.js';
import { TimelinePicture } from './timeline-picture.js';
import {
  formatElapsed,
  type Message,
  type MessageDelivery,
  type Moment,
  momentsOf,
  payloadStatus,
  type Track,
  tracksOf,
} from './timeline.js';

const pollMs = 5_000;
const maxEvents = 200;

/** The callbacks and the timeline of one message. */
export function MessageView({ id }: { id: string }) {
  const api = useApi();
  const query = useQuery({
    queryKey: ['message', id],
    queryFn: async ({ signal }) => {
      const params = { path: { message_id: id } };
      return (await unwrap(api.GET('/developer/messages/{message_id}', { params, signal }))).data;
    },
    refetchInterval: ({ state }) => state.data !== undefined && hasPending(state.data) && pollMs,
  });
  if (query.error?.kind === 'missing') {
    return (
      <EmptyState title="There is no such message.">
        <p>
          No event has the message id{' '}
          <span className="code">
            <Untrusted text={id} />
          </span>
          . Enter the complete id. Events older than the delivery log are not found.
        </p>
      </EmptyState>
    );
  }
  return (
    <QueryView query={query} skeleton={<Skeleton height="30rem" />}>
      {(message) => <Sections message={message} />}
    </QueryView>
  );
}

const hasPending = ({ events }: Message) =>
  events.some(({ deliveries }) => deliveries.some(({ state }) => state === 'pending'));

function Sections({ message }: { message: Message }) {
  const otherInstallation = message.other_installation;
  if (message.events.length === 0 && otherInstallation !== undefined) {
    return (
      <EmptyState title="None of the events of this message are here.">
        <OtherInstallation url={otherInstallation} />
      </EmptyState>
    );
  }
  const tracks = tracksOf(message);
  return (
    <>
      <section aria-labelledby="callbacks">
        <div className="section-header">
          <h2 id="callbacks">Callbacks</h2>
          <span className="hint">
            Message{' '}
            <span className="code">
              <Untrusted text={message.message_id} />
            </span>
          </span>
        </div>
        <Callbacks tracks={tracks} />
      </section>
      <section aria-labelledby="timeline">
        <div className="section-header">
          <h2 id="timeline">Timeline</h2>
          <span className="hint">Long waits are drawn shorter.</span>
        </div>
        {otherInstallation !== undefined && <OtherInstallation url={otherInstallation} />}
        {message.events.length >= maxEvents && <p className="notice">These are the first {maxEvents} events.</p>}
        <TimelinePicture tracks={tracks} />
        <MomentList moments={momentsOf(tracks)} />
      </section>
    </>
  );
}

const OtherInstallation = ({ url }: { url: string }) => (
  <p className="notice">
    This account has moved. Other events of this message may be at <Untrusted text={url} />.
  </p>
);

type Callback = { delivery: MessageDelivery; event: Track['event'] };

const callbackColumns: Column<Callback>[] = [
  {
    header: 'Callback',
    isRowHeader: true,
    cell: ({ delivery, event }) => (
      <Link href={`/deliveries/${delivery.id}`}>
        {eventLabel(event.event)} <Untrusted text={payloadStatus(event) ?? ''} />
      </Link>
    ),
  },
  { header: 'State', cell: ({ delivery }) => <DeliveryBadge state={delivery.state} /> },
  { header: 'Result', cell: ({ delivery }) => <Untrusted text={resultOf(delivery)} /> },
  { header: 'Webhook', cell: ({ delivery }) => <WebhookLink id={delivery.webhook_id} /> },
  { header: 'Attempts', align: 'end', cell: ({ delivery }) => delivery.attempt_count },
];

const sortOrder = { failed: 0, pending: 1, skipped: 2, delivered: 3 };

/** The deliveries of a message. Failed ones come first, then pending ones. */
function Callbacks({ tracks }: { tracks: readonly Track[] }) {
  const rows = tracks.flatMap(({ delivery, event }): Callback[] => (delivery ? [{ delivery, event }] : []));
  if (rows.length === 0) {
    return (
      <EmptyState title="There are no callbacks.">
        <p>
          {tracks.some(({ event }) => event.state === 'routed')
            ? 'The events of this message went to webhooks that this session cannot see.'
            : 'No webhook is subscribed to the events of this message.'}
        </p>
      </EmptyState>
    );
  }
  rows.sort((a, b) => sortOrder[a.delivery.state] - sortOrder[b.delivery.state]);
  return (
    <div className="whole-words">
      <Table caption="List of callbacks" columns={callbackColumns} rows={rows} rowKey={({ delivery }) => delivery.id} />
    </div>
  );
}

function resultOf(delivery: MessageDelivery): string {
  if (delivery.error !== null || delivery.reason !== null) return failureLabel(delivery);
  return delivery.response_code === null ? 'No attempt yet' : `Status ${delivery.response_code}`;
}

const initialCount = 100;

/** The moments of the timeline as a list, oldest first: the first 100, or all on request. */
function MomentList({ moments }: { moments: readonly Moment[] }) {
  const { time } = usePreferences();
  const [count, setCount] = useState(initialCount);
  const startMs = moments[0]?.ms ?? 0;
  return (
    <>
      <ol className="moments">
        {moments.slice(0, count).map((moment) => (
          <li key={moment.key} className={`moment-${moment.kind}`}>
            <span className="moment-time">
              <time dateTime={moment.time}>{time.full(moment.time)}</time>
              <span className="hint">{moment.ms === startMs ? 'start' : formatElapsed(moment.ms - startMs)}</span>
            </span>
            <span className="moment-text">
              <MomentText moment={moment} />
            </span>
          </li>
        ))}
      </ol>
      {moments.length > count && (
        <Button onClick={() => setCount(Infinity)}>Show all {formatCount(moments.length)}</Button>
      )}
    </>
  );
}

function MomentText({ moment }: { moment: Moment }) {
  if (moment.kind === 'event') return <EventText moment={moment} />;
  const { delivery } = moment;
  if (moment.kind === 'next') {
    return (
      <>
        <StatusBadge tone="warning">{`Attempt ${delivery.attempt_count + 1} is scheduled`}</StatusBadge> to{' '}
        <WebhookLink id={delivery.webhook_id} />
      </>
    );
  }
  const { number, error, response_code: code, duration_ms: duration } = moment.attempt;
  const result = error === null || error === 'status' ? `status ${code}` : errorLabel(error).toLowerCase();
  return (
    <>
      <StatusBadge tone={error === null ? 'success' : 'danger'}>{error === null ? 'Accepted' : 'Failed'}</StatusBadge>{' '}
      <Link href={`/deliveries/${delivery.id}?attempt=${number}`}>Attempt {number}</Link> to{' '}
      <WebhookLink id={delivery.webhook_id} />: {result} after {formatMs(duration)}
    </>
  );
}

function EventText({ moment: { event } }: { moment: Moment & { kind: 'event' } }) {
  const status = payloadStatus(event);
  return (
    <>
      <StatusBadge tone="info">Event</StatusBadge> {eventLabel(event.event)}
      {status !== undefined && (
        <strong>
          {' '}
          <Untrusted text={status} />
        </strong>
      )}{' '}
      for <PhoneNumber number={event.mobile} />
      {event.state === 'unrouted' && '. No webhook is subscribed to it, so there was no callback'}
    </>
  );
}
