import { adviceFor } from '../../attempt/advice.js';
import { AdviceText } from '../../attempt/advice-text.js';
import { ExchangeView } from '../../attempt/exchange-view.js';
import type { Attempt } from '../../data/schemas.js';
import { CurlButton } from './curl-button.js';
import type { DeliveryWithPayload } from './delivery-query.js';

type AttemptViewProps = { delivery: DeliveryWithPayload; attempt: Attempt };

/** One attempt of a delivery. The advice for the newest attempt is above, with the state of the delivery. */
export function AttemptView({ delivery, attempt }: AttemptViewProps) {
  const isNewest = delivery.attempts.at(-1) === attempt;
  const advice = isNewest ? undefined : adviceFor(delivery.event, attempt);
  return (
    <section aria-labelledby="attempt">
      <div className="section-header">
        <h2 id="attempt">Attempt {attempt.number}</h2>
        {isNewest && attempt.request.headers !== null && <CurlButton deliveryId={delivery.id} />}
      </div>
      {advice && <AdviceText advice={advice} />}
      <ExchangeView attempt={attempt} isLogged />
    </section>
  );
}
