import type { Theme } from '../api/schemas.js';
import { contrast, luminance, parseColor, readableOn, type Rgb, textOn } from '../session/theme.js';

export type Scheme = 'light' | 'dark';

/** Whether white text is more readable on the colour than black text. */
export const isDark = (color: Rgb) => luminance(color) < 0.18;

const defaults = {
  light: { background: '#ffffff', text: '#1b1f24' },
  dark: { background: '#14171a', text: '#e6e8ea' },
};

/** The CSS variables that a theme sets. Undefined for those that keep the style sheet's value. */
export function themeVariables(theme: Theme | null, scheme: Scheme): Record<string, string | undefined> {
  const themeBackground = parseColor(theme?.background);
  const hasThemeBackground = themeBackground !== undefined && (isDark(themeBackground) ? 'dark' : 'light') === scheme;
  const background = hasThemeBackground ? themeBackground : parseColor(defaults[scheme].background);
  const text = parseColor(theme?.text);
  const accent = parseColor(theme?.accent);
  if (!background) return {};
  const isTextReadable = text !== undefined && contrast(text, background) >= 7;
  return {
    '--background': hasThemeBackground ? (theme?.background ?? undefined) : undefined,
    '--text': isTextReadable ? (theme?.text ?? undefined) : hasThemeBackground ? textOn(background) : undefined,
    '--accent': accent && readableOn(background, accent, 3),
    '--accent-text': accent && readableOn(background, accent, 5),
    '--on-accent': accent && textOn(parseColor(readableOn(background, accent, 3)) ?? accent),
    '--font': theme?.font ?? undefined,
  };
}
