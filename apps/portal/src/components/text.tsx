import { useEffect, useState } from 'react';
import { usePreferences } from '../session/preferences.js';
import { relativeTime } from '../text/time.js';

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
