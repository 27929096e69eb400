import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

/** Switches the system to dark colours. */
export async function showDark(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-scheme="dark"]').waitFor();
}

// A window of 1,280 pixels at 200 % zoom, and a phone.
const narrow = [640, 320];

/** On narrow windows the page must not scroll sideways; tables and code may do so in their boxes. */
export async function expectToFit(page: Page): Promise<void> {
  for (const width of narrow) {
    await page.setViewportSize({ width, height: 450 });
    // The page is laid out anew before the second frame.
    const needed = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const measure = () => resolve(document.documentElement.scrollWidth);
          requestAnimationFrame(() => requestAnimationFrame(measure));
        }),
    );
    expect(needed).toBeLessThanOrEqual(width);
  }
}
