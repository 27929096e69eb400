import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

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
