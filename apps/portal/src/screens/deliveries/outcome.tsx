import type { ReactNode } from 'react';
import { AdviceText } from '../../attempt/advice-text.js';
import { adviceFor, skipReasonAdvice } from '../../attempt/advice.js';
import { Icon } from '../../components/badge.js';
import { RelativeTime, Time } from '../../components/text.js';
import { Untrusted } from '../../components/untrusted.js';
import { DeliveryBadge } from '../../labels/delivery-states.js';
import type { DeliveryWithPayload } from '../../resources/deliveries.js';

/** The state of the delivery, with advice if the newest attempt failed, unless the delivery is skipped. */
export function Outcome({ delivery, children }: { delivery: DeliveryWithPayload; children: ReactNode }) {
  const newest = delivery.attempts.at(-1);
  const advice = newest && delivery.state !== 'skipped' ? adviceFor(delivery.event, newest) : undefined;
  return (
    <section className={`outcome outcome-${delivery.state}`} aria-labelledby="outcome">
      <div className="outcome-state">
        <h2 id="outcome">
          <span role="status">
            <DeliveryBadge state={delivery.state} />
          </span>
        </h2>
        <p>
          <StateText delivery={delivery} />
        </p>
      </div>
      {advice && <AdviceText advice={advice} />}
      {children}
    </section>
  );
}

function StateText({ delivery }: { delivery: DeliveryWithPayload }) {
  const { state, reason, attempt_count: count } = delivery;
  if (state === 'pending') return <PendingText delivery={delivery} />;
  if (state === 'delivered') {
    // A failed resend leaves the delivery delivered. The successful attempt may be older than the newest 100.
    const accepted = delivery.attempts.find(({ error }) => error === null);
    if (accepted === undefined) return 'The receiver accepted the callback.';
    return `The receiver accepted the callback with the status ${accepted.response?.code}, on attempt ${accepted.number}.`;
  }
  if (reason !== null)
    return skipReasonAdvice[reason] ?? <Untrusted text={`The service ended the delivery: ${reason}.`} />;
  return `All attempts failed (${count}). Send the callback again for one more attempt.`;
}

function PendingText({ delivery }: { delivery: DeliveryWithPayload }) {
  const { next_attempt_at: due, attempt_count: count } = delivery;
  if (delivery.paused) return 'The webhook is paused. The next attempt starts after it is resumed.';
  if (due === null) return 'The next attempt is about to start.';
  return (
    <>
      <Icon name="clock" /> {count === 0 ? 'First attempt' : `Attempt ${count + 1}`}: <RelativeTime value={due} />, at{' '}
      <Time value={due} />.
    </>
  );
}
