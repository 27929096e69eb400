import type { Replay } from '../../api/schemas.js';
import { PhoneNumber } from '../../components/phone-number.js';
import { Time } from '../../components/text.js';
import { Untrusted } from '../../components/untrusted.js';
import { errorLabel } from '../../resources/errors.js';
import { eventLabel } from '../../resources/events.js';

/** The filter of a replay, in words. */
export function ReplayFilter({ filter }: Pick<Replay, 'filter'>) {
  const { status, event, error, response_code: code, message_id: message, mobile, since, until } = filter;
  const parts = [
    status !== null && `State: ${status.replaceAll(',', ', ')}`,
    event !== null && eventLabel(event),
    error !== null && errorLabel(error),
    code !== null && `Response code: ${code}`,
    message !== null && (
      <>
        Message <Untrusted text={message} />
      </>
    ),
    mobile !== null && <PhoneNumber number={mobile} />,
    since !== null && (
      <>
        From <Time value={since} />
      </>
    ),
    until !== null && (
      <>
        Until <Time value={until} />
      </>
    ),
  ].filter((part) => part !== false);
  return (
    <ul>
      {parts.map((part, index) => (
        <li key={index}>{part}</li>
      ))}
    </ul>
  );
}
