import type { Theme } from '../api/schemas.js';

type Rgb = readonly [number, number, number];

/** Parses `#rrggbb`. Undefined for anything else. */
export function parseColor(text: string | null | undefined): Rgb | undefined {
  const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text ?? '');
  if (!match) return undefined;
  const [red, green, blue] = match.slice(1).map((part) => parseInt(part, 16));
  return [red ?? 0, green ?? 0, blue ?? 0];
}

const format = (color: Rgb) => `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`;

/** The relative luminance of WCAG, 0 to 1. */
function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of WCAG between two colours, 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const ofA = luminance(a);
  const ofB = luminance(b);
  return (Math.max(ofA, ofB) + 0.05) / (Math.min(ofA, ofB) + 0.05);
}

const white: Rgb = [255, 255, 255];
const black: Rgb = [0, 0, 0];

/** Black or white: the one with more contrast to the colour. */
export const textOn = (color: Rgb) => format(contrast(color, white) >= contrast(color, black) ? white : black);

const mix = ([red, green, blue]: Rgb, [toRed, toGreen, toBlue]: Rgb, share: number): Rgb => [
  Math.round(red + (toRed - red) * share),
  Math.round(green + (toGreen - green) * share),
  Math.round(blue + (toBlue - blue) * share),
];

/** The colour, mixed with black or white until it has at least this contrast to the background. */
export function readableOn(background: Rgb, color: Rgb, minContrast: number): string {
  const target = contrast(background, white) >= contrast(background, black) ? white : black;
  for (let share = 0; share <= 1; share += 0.05) {
    const mixed = mix(color, target, share);
    if (contrast(mixed, background) >= minContrast) return format(mixed);
  }
  return format(target);
}

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
