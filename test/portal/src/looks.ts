import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

/** Switches the system to dark colours. */
export async function showDark(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-scheme="dark"]').waitFor();
}

/** On a phone with 320 pixels the page must not scroll sideways; tables and code may do so in their boxes. */
export async function expectToFit(page: Page): Promise<void> {
  await page.setViewportSize({ width: 320, height: 640 });
  // The page is laid out anew before the second frame.
  const width = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const measure = () => resolve(document.documentElement.scrollWidth);
        requestAnimationFrame(() => requestAnimationFrame(measure));
      }),
  );
  expect(width).toBeLessThanOrEqual(320);
}
