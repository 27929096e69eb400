import { usePreferences } from '../session/preferences.js';
import { maskNumber } from '../text/mask.js';
import { Untrusted } from './untrusted.js';

/** A phone number, masked unless the user shows phone numbers. */
export function PhoneNumber({ number }: { number: string | null }) {
  const { isMasked } = usePreferences();
  if (number === null) return <span className="hint">–</span>;
  return (
    <span className="code">
      <Untrusted text={isMasked ? maskNumber(number) : number} />
    </span>
  );
}
