import type { Theme } from '../data/schemas.js';
import { contrast, luminance, parseColor, readableOn, type Rgb, textOn } from './colors.js';

export type Scheme = 'light' | 'dark';

/** Whether white text is more readable on the colour than black text. */
export const isDark = (color: Rgb) => luminance(color) < 0.18;

const defaults = {
  light: { background: '#ffffff', text: '#1b1f24' },
  dark: { background: '#14171a', text: '#e6e8ea' },
};

/** The CSS variables that a theme sets; undefined where the style sheet's value stays. */
export function themeVariables(theme: Theme | null, scheme: Scheme): Record<string, string | undefined> {
  const wanted = parseColor(theme?.background);
  const isUsed = wanted !== undefined && (isDark(wanted) ? 'dark' : 'light') === scheme;
  const background = isUsed ? wanted : parseColor(defaults[scheme].background);
  const text = parseColor(theme?.text);
  const accent = parseColor(theme?.accent);
  if (!background) return {};
  const isTextReadable = text !== undefined && contrast(text, background) >= 7;
  return {
    '--background': isUsed ? (theme?.background ?? undefined) : undefined,
    '--text': isTextReadable ? (theme?.text ?? undefined) : isUsed ? textOn(background) : undefined,
    '--accent': accent && readableOn(background, accent, 3),
    '--accent-text': accent && readableOn(background, accent, 5),
    '--on-accent': accent && textOn(parseColor(readableOn(background, accent, 3)) ?? accent),
    '--font': theme?.font ?? undefined,
  };
}
