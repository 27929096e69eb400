import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { contrast, parseColor, readableOn, textOn, themeVariables } from './theme.js';

const color = fc
  .tuple(fc.nat(255), fc.nat(255), fc.nat(255))
  .map((parts) => `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`);
const contrastOf = (a: string, b: string) => contrast(parseColor(a) ?? [0, 0, 0], parseColor(b) ?? [0, 0, 0]);

test('any colour is made readable on any background', () => {
  fc.assert(
    fc.property(color, color, (background, wanted) => {
      const readable = readableOn(parseColor(background) ?? [0, 0, 0], parseColor(wanted) ?? [0, 0, 0], 4.5);
      expect(contrastOf(readable, background)).toBeGreaterThanOrEqual(4.5);
      expect(contrastOf(textOn(parseColor(wanted) ?? [0, 0, 0]), wanted)).toBeGreaterThanOrEqual(4.5);
    }),
  );
});

test('any theme gives readable text, links and buttons', () => {
  const themes = fc.record({ accent: color, background: color, text: color });
  fc.assert(
    fc.property(themes, fc.constantFrom('light' as const, 'dark' as const), (theme, scheme) => {
      const variables = themeVariables(theme, scheme);
      const background = variables['--background'] ?? { light: '#ffffff', dark: '#14171a' }[scheme];
      const text = variables['--text'] ?? { light: '#1b1f24', dark: '#e6e8ea' }[scheme];
      expect(contrastOf(text, background)).toBeGreaterThanOrEqual(4.5);
      expect(contrastOf(variables['--accent-text'] ?? '', background)).toBeGreaterThanOrEqual(4.5);
      expect(contrastOf(variables['--on-accent'] ?? '', variables['--accent'] ?? '')).toBeGreaterThanOrEqual(4.5);
    }),
  );
});

test.each(['red', '#fff', '#12345', '', null, undefined])('%j is not a theme colour', (text) => {
  expect(parseColor(text)).toBeUndefined();
});
