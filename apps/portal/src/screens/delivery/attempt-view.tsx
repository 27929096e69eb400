import type { Attempt } from '../../api/schemas.js';
import { AdviceText } from '../../attempt/advice-text.js';
import { adviceFor } from '../../attempt/advice.js';
import { ExchangeView } from '../../resources/attempts.js';
import type { DeliveryWithPayload } from '../../resources/deliveries.js';
import { CurlButton } from './curl-button.js';

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
