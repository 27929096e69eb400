import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import type { Theme } from '../api/schemas.js';
import { type SchemeChoice, useApplyColorScheme } from '../preferences/color-scheme.js';
import { createTimeFormat, type HourFormat, type TimeFormat } from '../text/time.js';

export type Preferences = {
  zone: string;
  hours: HourFormat;
  scheme: SchemeChoice;
  isMasked: boolean;
};

type PreferencesValue = Preferences & { time: TimeFormat; change: (changes: Partial<Preferences>) => void };

const PreferencesContext = createContext<PreferencesValue | null>(null);

type ProviderProps = { isMasked: boolean; theme: Theme | null; children: ReactNode };

/** Provides the user's preferences, which are only in memory. */
export function PreferencesProvider({ isMasked, theme, children }: ProviderProps) {
  const [preferences, setPreferences] = useState<Preferences>(() => ({ ...localDefaults(), isMasked }));
  const value = useMemo(() => {
    const change = (changes: Partial<Preferences>) => setPreferences((current) => ({ ...current, ...changes }));
    return { ...preferences, time: createTimeFormat(preferences.zone, preferences.hours), change };
  }, [preferences]);
  useApplyColorScheme({ theme, choice: preferences.scheme });
  return <PreferencesContext value={value}>{children}</PreferencesContext>;
}

function localDefaults(): Omit<Preferences, 'isMasked'> {
  const { timeZone, hour12 } = new Intl.DateTimeFormat(undefined, { hour: 'numeric' }).resolvedOptions();
  return { zone: timeZone, hours: hour12 ? '12' : '24', scheme: 'system' };
}

/** The user's preferences, with the time format that follows from them. */
export function usePreferences(): PreferencesValue {
  const value = useContext(PreferencesContext);
  if (!value) throw new Error('usePreferences needs a PreferencesProvider.');
  return value;
}
