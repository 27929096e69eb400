import { useEffect, useState } from 'react';
import { usePreferences } from '../session/preferences.js';
import { relativeTime } from '../text/format.js';
import { maskNumber, maskNumbersIn, printableParts } from '../text/untrusted.js';

/**
 * Shows text of unknown origin: as text, never as markup, in its own direction, with invisible characters as escapes.
 */
export function Untrusted({ text }: { text: string }) {
  return <bdi>{renderParts(text)}</bdi>;
}

/** The parts of a text as React nodes. Escapes are highlighted. */
export function renderParts(text: string) {
  return printableParts(text).map((part, index) =>
    part.isEscape ? (
      <span className="escape" key={index}>
        {part.text}
      </span>
    ) : (
      part.text
    ),
  );
}

/** Untrusted text that may contain phone numbers, which are masked unless the user shows them. */
export function MaskedText({ text }: { text: string }) {
  const { isMasked } = usePreferences();
  return <Untrusted text={isMasked ? maskNumbersIn(text) : text} />;
}

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

/** A time in the user's time zone. */
export function Time({ value }: { value: string }) {
  const { time } = usePreferences();
  return (
    <time dateTime={value} title={`${value} (shown in ${time.zone})`}>
      {time.full(value)}
    </time>
  );
}

/** A time relative to now, such as "3 minutes ago". The tooltip has the full time. */
export function RelativeTime({ value }: { value: string }) {
  const { time } = usePreferences();
  const now = useNow(10_000);
  return (
    <time dateTime={value} title={`${time.full(value)} (${time.zone})`}>
      {relativeTime(value, now)}
    </time>
  );
}

function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
