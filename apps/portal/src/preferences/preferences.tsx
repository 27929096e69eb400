import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import type { Theme } from '../data/schemas.js';
import { createTimeFormat, type HourFormat, type TimeFormat } from '../text/time.js';
import { type SchemeChoice, useApplyColorScheme } from './color-scheme.js';

export type Preferences = {
  zone: string;
  hours: HourFormat;
  scheme: SchemeChoice;
  isMasked: boolean;
};

type PreferencesValue = Preferences & { time: TimeFormat; change: (changes: Partial<Preferences>) => void };

const PreferencesContext = createContext<PreferencesValue | null>(null);

type ProviderProps = { isMasked: boolean; theme: Theme | null; children: ReactNode };

/** The choices of the user, which are only in memory. */
export function PreferencesProvider({ isMasked, theme, children }: ProviderProps) {
  const [preferences, setPreferences] = useState<Preferences>(() => ({ ...localDefaults(), isMasked }));
  const value = useMemo(() => {
    const change = (changes: Partial<Preferences>) => setPreferences((current) => ({ ...current, ...changes }));
    return { ...preferences, time: createTimeFormat(preferences.zone, preferences.hours), change };
  }, [preferences]);
  useApplyColorScheme(theme, preferences.scheme);
  return <PreferencesContext value={value}>{children}</PreferencesContext>;
}

function localDefaults(): Omit<Preferences, 'isMasked'> {
  const { timeZone, hour12 } = new Intl.DateTimeFormat(undefined, { hour: 'numeric' }).resolvedOptions();
  return { zone: timeZone, hours: hour12 ? '12' : '24', scheme: 'system' };
}

/** The choices of the user, with the time format that they give. */
export function usePreferences(): PreferencesValue {
  const value = useContext(PreferencesContext);
  if (!value) throw new Error('There are no preferences here.');
  return value;
}
