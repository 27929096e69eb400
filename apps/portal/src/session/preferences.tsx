import { createContext, type ReactNode, useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { Theme } from '../api/schemas.js';
import { createTimeFormat, type HourFormat, type TimeFormat } from '../text/format.js';
import { isDark, parseColor, type Scheme, themeVariables } from './theme.js';

type Preferences = {
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

type SchemeChoice = 'system' | 'light' | 'dark';

const darkQuery = window.matchMedia('(prefers-color-scheme: dark)');
const subscribe = (onChange: () => void) => {
  darkQuery.addEventListener('change', onChange);
  return () => darkQuery.removeEventListener('change', onChange);
};

type ColorSchemeOptions = {
  /** Null if the session has no theme. */
  theme: Theme | null;
  choice: SchemeChoice;
};

/** Applies the chosen colour scheme to the document, with the colours of the theme as far as they are readable. */
export function useApplyColorScheme({ theme, choice }: ColorSchemeOptions): void {
  const isDarkSystem = useSyncExternalStore(subscribe, () => darkQuery.matches);
  useEffect(() => {
    const scheme = choice === 'system' ? schemeOf(theme, isDarkSystem) : choice;
    document.documentElement.dataset.scheme = scheme;
    const variables = themeVariables(theme, scheme);
    const { style } = document.documentElement;
    for (const [name, value] of Object.entries(variables)) {
      if (value === undefined) style.removeProperty(name);
      else style.setProperty(name, value);
    }
  }, [theme, choice, isDarkSystem]);
}

/** The theme's background decides, so that the portal matches its host page. Without a background, the system does. */
function schemeOf(theme: Theme | null, isDarkSystem: boolean): Scheme {
  const background = parseColor(theme?.background);
  if (background) return isDark(background) ? 'dark' : 'light';
  return isDarkSystem ? 'dark' : 'light';
}
