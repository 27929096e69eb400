import { useEffect, useSyncExternalStore } from 'react';
import type { Theme } from '../api/schemas.js';
import { parseColor } from '../session/theme.js';
import { isDark, type Scheme, themeVariables } from './theme-variables.js';

export type SchemeChoice = 'system' | 'light' | 'dark';

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
