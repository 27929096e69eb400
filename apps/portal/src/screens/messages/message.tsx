import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../components/button.js';
import { PhoneNumber } from '../../components/phone-number.js';
import { StatusBadge } from '../../components/status-badge.js';
import { Untrusted } from '../../components/untrusted.js';
import { WebhookLink } from '../../components/webhook-link.js';
import { errorLabel } from '../../resources/errors.js';
import { eventLabel } from '../../resources/events.js';
import { usePreferences } from '../../session/preferences.js';
import { formatCount, formatMs } from '../../text/numbers.js';
import { formatElapsed } from '../message/time-scale.js';
import { type Moment, payloadStatus } from './timeline.js';

const initialCount = 100;

/** The moments of the timeline as a list, oldest first: the first 100, or all on request. */
export function MomentList({ moments }: { moments: readonly Moment[] }) {
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
