import { usePreferences } from '../preferences/preferences.js';
import { maskNumbersIn } from '../text/mask.js';
import { Untrusted } from './untrusted.js';

/** A text of unknown origin that may hold phone numbers: they are masked unless the user shows numbers. */
export function MaskedText({ text }: { text: string }) {
  const { isMasked } = usePreferences();
  return <Untrusted text={isMasked ? maskNumbersIn(text) : text} />;
}
