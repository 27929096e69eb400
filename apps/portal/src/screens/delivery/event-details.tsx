import { Link } from 'wouter';
import { CodeBlock } from '../../components/code-block.js';
import { CopyButton } from '../../components/copy-button.js';
import { PhoneNumber } from '../../components/phone-number.js';
import { Time } from '../../components/text.js';
import { Untrusted } from '../../components/untrusted.js';
import { WebhookLink } from '../../components/webhook-link.js';
import type { DeliveryWithPayload } from '../../resources/deliveries.js';
import { eventLabel } from '../../resources/events.js';

/** The event of the delivery, with its payload. */
export function EventDetails({ delivery }: { delivery: DeliveryWithPayload }) {
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
          <dd>{messageId === null ? '–' : <MessageLink id={messageId} />}</dd>
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

function MessageLink({ id }: { id: string }) {
  return (
    <Link href={`/messages?id=${encodeURIComponent(id)}`} className="code">
      <Untrusted text={id} />
    </Link>
  );
}
