import { type ReactNode, useState } from 'react';
import { Icon } from '../../components/badge.js';
import { Button, ButtonLink } from '../../components/button.js';
import { FormErrorList } from '../../components/fields.js';
import { RelativeTime, Time, Untrusted } from '../../components/text.js';
import { AdviceText } from '../../resources/attempts.js';
import { DeliveryBadge, type DeliveryWithPayload, useResend } from '../../resources/deliveries.js';
import { isAddressProblem } from '../../resources/errors.js';
import { useHasScope } from '../../session/session.js';
import { FixAddressDialog } from './fix-address.js';

/** The state of the delivery, with advice if the newest attempt failed, unless the delivery is skipped. */
export function Outcome({ delivery, children }: { delivery: DeliveryWithPayload; children: ReactNode }) {
  const newest = delivery.attempts.at(-1);
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
      {newest && delivery.state !== 'skipped' && <AdviceText attempt={newest} />}
      {children}
    </section>
  );
}

function StateText({ delivery }: { delivery: DeliveryWithPayload }) {
  const { state, reason, advice, attempt_count: count } = delivery;
  if (state === 'pending') return <PendingText delivery={delivery} />;
  if (state === 'delivered') {
    // A failed resend leaves the delivery delivered. The successful attempt may be older than the newest 100.
    const accepted = delivery.attempts.find(({ error }) => error === null);
    if (accepted === undefined) return 'The receiver accepted the callback.';
    return `The receiver accepted the callback with the status ${accepted.response?.code}, on attempt ${accepted.number}.`;
  }
  if (reason !== null)
    return (state === 'skipped' && advice) || <Untrusted text={`The service ended the delivery: ${reason}.`} />;
  return `All attempts failed (${count}). Send the callback again for one more attempt.`;
}

function PendingText({ delivery }: { delivery: DeliveryWithPayload }) {
  const { due_at: due, attempt_count: count } = delivery;
  if (delivery.paused) return 'The webhook is paused. The next attempt starts after it is resumed.';
  if (due === null) return 'The next attempt is about to start.';
  return (
    <>
      <Icon name="clock" /> {count === 0 ? 'First attempt' : `Attempt ${count + 1}`}: <RelativeTime value={due} />, at{' '}
      <Time value={due} />.
    </>
  );
}

type ActionsProps = { delivery: DeliveryWithPayload; onSent: () => void };

/** The buttons that resend the delivery, optionally to another address, and a link that edits the webhook. */
export function Actions({ delivery, onSent }: ActionsProps) {
  const [isFixing, setFixing] = useState(false);
  const resend = useResend(delivery.id, onSent);
  const canResend = useHasScope('replay');
  const canEdit = useHasScope('write');
  const newest = delivery.attempts.at(-1);
  const mayBeAddress = newest !== undefined && isAddressProblem(newest);
  const isFinal = delivery.state !== 'pending';
  if (!canResend) return <p className="hint">This session may not send deliveries again.</p>;
  return (
    <>
      <div className="actions">
        {canEdit && delivery.state !== 'delivered' && (
          <Button {...(mayBeAddress ? { variant: 'primary' as const } : {})} onClick={() => setFixing(true)}>
            Fix the address and send again
          </Button>
        )}
        <Button
          {...(mayBeAddress || !isFinal || delivery.state === 'delivered' ? {} : { variant: 'primary' as const })}
          isBusy={resend.isPending}
          onClick={() => resend.mutate()}
        >
          {isFinal ? 'Send again' : 'Send now'}
        </Button>
        {canEdit && <ButtonLink href={`/webhooks/${delivery.webhook_id}/edit`}>Edit the webhook</ButtonLink>}
      </div>
      <FormErrorList messages={resend.error ? [resend.error.message] : []} />
      {isFixing && <FixAddressDialog delivery={delivery} onClose={() => setFixing(false)} onSent={onSent} />}
    </>
  );
}
