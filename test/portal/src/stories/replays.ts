import { test } from '@jest/globals';
import { until } from '@ringback/testing';
import { fixture, openScreen, reopen, waitUntilLoaded } from '../fixture.js';

/** A replay sends many deliveries again. */
export function testReplays(): void {
  test('the deliveries of a replay are counted, then sent again, with the progress until the end', async () => {
    const { stack } = fixture();
    const account = await stack.createAccount('Replay Ltd');
    stack.answers.set('/outage', { status: 502 });
    const webhook = await stack.createWebhook(account, 'Outage', '/outage');
    await Promise.all([1, 2].map(() => stack.deliver(account, webhook, { state: 'failed' })));
    stack.answers.delete('/outage');
    const page = await openScreen('/replays', { account });
    await page.getByRole('button', { name: 'New replay' }).click();
    await page.getByRole('button', { name: 'Count deliveries' }).click();
    await page.locator('.field-errors p').first().waitFor();
    await page.getByLabel('Webhook').selectOption({ label: 'Outage' });
    await page.getByRole('button', { name: 'Count deliveries' }).click();
    await page.getByText('2 deliveries match.').waitFor();
    await page.getByRole('button', { name: 'Send 2 again' }).click();
    const replays = page.getByRole('table', { name: 'Replays' });
    await replays.getByText('Done').waitFor();
    await replays.getByText('2 of 2 sent again').waitFor();
    await page.getByRole('link', { name: 'Deliveries', exact: true }).click();
    await until(
      async () => {
        await reopen(page, account);
        await waitUntilLoaded(page, 'Deliveries');
        return (await page.getByRole('rowheader').filter({ hasText: 'Delivered' }).count()) === 2;
      },
      'both are delivered',
      100_000,
      250,
    );
  });
}
