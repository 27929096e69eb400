import { expect } from '@jest/globals';
import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

type Rules = { runOnly?: string[] };

/** The rules whose result depends on the colour scheme. */
export const colourRules: Rules = { runOnly: ['color-contrast', 'link-in-text-block'] };

/** The violations that axe finds in the page, each with its rule and up to 3 elements. */
export async function violationsOf(page: Page, rules: Rules = {}): Promise<string[]> {
  await page.evaluate(`window.axe ?? (() => { ${axe.source} })()`);
  const violations = await page.evaluate(async (options) => {
    const { axe: loaded } = window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } };
    return (await loaded.run({ ...options, resultTypes: ['violations'] })).violations.map(({ id, help, nodes }) => ({
      rule: `${id}: ${help}`,
      nodes: nodes.map(({ html, failureSummary }) => `${html} ${failureSummary ?? ''}`),
    }));
  }, rules);
  return violations.map(({ rule, nodes }) => `${rule}\n${nodes.slice(0, 3).join('\n')}`);
}

/** Switches the system to its dark colour scheme. */
export async function switchToDark(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-scheme="dark"]').waitFor();
}

// A window of 1,280 pixels at 200 % zoom, and a phone.
const narrowWidths = [640, 320];

/** Expects that the page does not scroll sideways in narrow windows. Tables and code may scroll in their boxes. */
export async function expectToFit(page: Page): Promise<void> {
  for (const width of narrowWidths) {
    await page.setViewportSize({ width, height: 450 });
    // The new layout is done before the second animation frame.
    const neededWidth = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const measure = () => resolve(document.documentElement.scrollWidth);
          requestAnimationFrame(() => requestAnimationFrame(measure));
        }),
    );
    expect(neededWidth).toBeLessThanOrEqual(width);
  }
}
