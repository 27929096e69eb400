import { expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { fixture, openScreen, waitUntilLoaded } from '../fixture.js';

const maxStops = 80;

/** Presses Tab, or the given key, until the target has the focus. Each element on the way must have a visible focus. */
async function tabTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  for (let stop = 0; stop < maxStops; stop++) {
    await page.keyboard.press(key);
    const isMarked = await page.evaluate(() => {
      const parts = [
        document.activeElement!,
        ...(document.activeElement?.parentElement ? [document.activeElement.parentElement] : []),
      ];
      return (
        document.activeElement === document.body || parts.some((part) => getComputedStyle(part).outlineStyle !== 'none')
      );
    });
    const name = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 120));
    expect([name, isMarked]).toEqual([name, true]);
    if (await target.evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`Tab does not reach ${String(target)}`);
}

/** The portal can be used without a mouse. */
export function testKeyboard(): void {
  test('a webhook is created, tested and deleted with the keyboard alone', async () => {
    const { stack } = fixture();
    const account = await stack.createAccount('Keyboard Ltd');
    const page = await openScreen('/', { account });
    await waitUntilLoaded(page, 'Overview');
    await tabTo(page, page.getByRole('link', { name: 'Webhooks', exact: true }));
    await page.keyboard.press('Enter');
    await waitUntilLoaded(page, 'Webhooks');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    await tabTo(page, page.getByRole('link', { name: 'New webhook' }));
    await page.keyboard.press('Enter');
    await waitUntilLoaded(page, 'New webhook');
    await tabTo(page, page.getByLabel('Name'));
    await page.keyboard.type('By keyboard');
    await tabTo(page, page.getByLabel('Address (uri)'));
    await page.keyboard.type(`${stack.receiver.origin}/keyboard`);
    await page.keyboard.press('Enter');
    await waitUntilLoaded(page, 'By keyboard');
    await tabTo(page, page.getByRole('link', { name: 'Test call' }));
    await page.keyboard.press('Enter');
    await page.getByText('Empty sends an example.').waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Send test call' }));
    await page.keyboard.press('Enter');
    await page.locator('.test-result').getByText('200').first().waitFor();
    expect(stack.receiver.calls.filter(({ path }) => path === '/keyboard')).toHaveLength(1);
    await tabTo(page, page.getByRole('link', { name: 'Settings' }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    const remove = page.getByRole('button', { name: 'Delete the webhook' });
    await remove.waitFor();
    await tabTo(page, remove);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await remove.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
    await page.keyboard.press('Enter');
    await page.getByText('This webhook is deleted.').waitFor();
  });

  test('the first Tab stop skips the navigation', async () => {
    const page = await openScreen('/webhooks');
    await waitUntilLoaded(page, 'Webhooks');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
    await tabTo(page, page.getByRole('link', { name: 'New webhook' }));
  });
}
