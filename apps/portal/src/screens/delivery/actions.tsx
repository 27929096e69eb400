import { useState } from 'react';
import { adviceFor } from '../../attempt/advice.js';
import { Button, ButtonLink } from '../../components/button.js';
import { FormErrorList } from '../../components/fields.js';
import type { DeliveryWithPayload } from '../../resources/deliveries.js';
import { useHasScope } from '../../session/session-context.js';
import { FixAddressDialog } from '../deliveries/fix-address.js';
import { useResend } from './use-resend.js';

type ActionsProps = { delivery: DeliveryWithPayload; onSent: () => void };

/** The buttons that resend the delivery, optionally to another address, and a link that edits the webhook. */
export function Actions({ delivery, onSent }: ActionsProps) {
  const [isFixing, setFixing] = useState(false);
  const resend = useResend(delivery.id, onSent);
  const canResend = useHasScope('replay');
  const canEdit = useHasScope('write');
  const newest = delivery.attempts.at(-1);
  const isAddressProblem = (newest && adviceFor(delivery.event, newest)?.isAddressProblem) ?? false;
  const isFinal = delivery.state !== 'pending';
  if (!canResend) return <p className="hint">This session may not send deliveries again.</p>;
  return (
    <>
      <div className="actions">
        {canEdit && delivery.state !== 'delivered' && (
          <Button {...(isAddressProblem ? { variant: 'primary' as const } : {})} onClick={() => setFixing(true)}>
            Fix the address and send again
          </Button>
        )}
        <Button
          {...(isAddressProblem || !isFinal || delivery.state === 'delivered' ? {} : { variant: 'primary' as const })}
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
