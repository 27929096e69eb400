import { usePreferences } from '../session/preferences.js';
import { maskNumbersIn } from '../text/mask.js';
import { Untrusted } from './untrusted.js';

/** Untrusted text that may contain phone numbers, which are masked unless the user shows them. */
export function MaskedText({ text }: { text: string }) {
  const { isMasked } = usePreferences();
  return <Untrusted text={isMasked ? maskNumbersIn(text) : text} />;
}
