import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { until } from '@ringback/testing';
import { fixture, openScreen, reopen, waitUntilLoaded } from '../fixture.js';

/** Deliveries are filtered, followed, sent again and downloaded. */
export function testDeliveries(): void {
  test('the filters and the page of deliveries are in the URL, and live updates show a new delivery', async () => {
    const { stack, shop } = fixture();
    const page = await openScreen('/deliveries');
    await waitUntilLoaded(page, 'Deliveries');
    const rows = page.getByRole('table', { name: 'Deliveries' }).getByRole('rowheader');
    expect(await rows.count()).toBe(25);
    const hrefOfFirst = () => rows.first().getByRole('link').getAttribute('href');
    const first = await hrefOfFirst();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.waitForURL(/cursor=/);
    await until(async () => (await hrefOfFirst()) !== first, 'the next page is shown');
    await page.getByRole('checkbox', { name: 'Failed' }).check();
    await page.waitForURL(/status=failed/);
    expect(page.url()).not.toContain('cursor=');
    await page.getByLabel('Response code').fill('404');
    await page.keyboard.press('Enter');
    await page.getByLabel('Number').fill('447700900123');
    await page.keyboard.press('Enter');
    await page.waitForURL(/mobile=447700900123/);
    await until(async () => (await rows.count()) === 1, 'one delivery is left');
    await reopen(page);
    await waitUntilLoaded(page, 'Deliveries');
    expect(await page.getByLabel('Response code').inputValue()).toBe('404');
    expect(await rows.count()).toBe(1);
    await page.getByRole('link', { name: shop.failed.messageId }).waitFor();
    await page.getByLabel('Number').fill('');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => !url.search.includes('mobile'));
    await page.goBack();
    await page.waitForURL(/mobile=447700900123/);
    await page.getByRole('button', { name: 'Clear all filters' }).click();
    await page.getByRole('button', { name: 'Live' }).click();
    await page.getByText('Live: 0 new deliveries').waitFor();
    const { messageId } = await stack.deliver(shop.account, shop.orders);
    await page.getByText('Live: 1 new delivery').waitFor();
    await page.getByRole('link', { name: messageId }).waitFor();
  });

  test('a webhook among many is found by its name; its deliveries are sent again, and downloaded', async () => {
    const { stack } = fixture();
    const account = await stack.createAccount('Bulk Ltd');
    stack.answers.set('/bulk', { status: 500 });
    const webhook = await stack.createWebhook(account, 'Bulk', '/bulk');
    const sent = await Promise.all([1, 2, 3].map(() => stack.deliver(account, webhook, { state: 'failed' })));
    stack.answers.delete('/bulk');
    await stack.query(
      `INSERT INTO webhooks (account_id, name, uri) SELECT $1, 'Spare ' || n, $2 FROM generate_series(1, 101) n`,
      [account.id, webhook.uri],
    );
    const page = await openScreen('/deliveries?status=failed', { account });
    await page.getByText('The newest 100 of 102.').waitFor();
    await page.getByLabel('Webhook: name contains').fill('ulk');
    await page.getByLabel('Webhook', { exact: true }).selectOption({ label: 'Bulk' });
    await page.waitForURL(/webhook_id=/);
    await waitUntilLoaded(page, 'Deliveries');
    await page.getByLabel('Select this page').check();
    await page.getByText('3 selected').waitFor();
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await page.getByText('3 of 3 were sent again.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await until(
      async () => {
        await reopen(page, account);
        await waitUntilLoaded(page, 'Deliveries');
        return (await page.getByText('No delivery matches the filters.').count()) === 1;
      },
      'no delivery is failed',
      100_000,
      250,
    );
    await page.getByRole('button', { name: 'Clear all filters' }).first().click();
    await page.getByRole('button', { name: 'Download' }).click();
    const started = page.waitForEvent('download');
    await page.getByRole('dialog').getByRole('button', { name: 'Download' }).click();
    const download = await started;
    expect(download.suggestedFilename()).toMatch(/\.csv$/);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
    expect(lines).toHaveLength(4);
    for (const { messageId } of sent) expect(lines.filter((line) => line.includes(messageId))).toHaveLength(1);
    await page.getByText('3 deliveries are in the file.').waitFor();
  });
}
