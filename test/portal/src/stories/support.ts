import { expect, test } from '@jest/globals';
import { fixture, openScreen, waitUntilLoaded } from '../fixture.js';

/** A support engineer finds out why a delivery report did not arrive. */
export function testSupport(): void {
  test('the failed callback of a message is found, its address is fixed, and it is sent again', async () => {
    const { stack, shop } = fixture();
    stack.answers.set('/wrong', { status: 404, body: 'no such page' });
    const webhook = await stack.createWebhook(shop.account, 'Support story', '/wrong');
    const { messageId } = await stack.deliver(shop.account, webhook, {
      state: 'failed',
      payload: { id: 'support %41&b=c#%2541' },
    });
    const page = await openScreen('/');
    await waitUntilLoaded(page, 'Overview');
    await page.getByRole('link', { name: 'Messages' }).click();
    await page.getByLabel('Message id or number').fill(messageId);
    await page.getByRole('button', { name: 'Search' }).click();
    const row = page
      .getByRole('table', { name: 'List of callbacks' })
      .getByRole('row')
      .filter({ hasText: 'Status 404' });
    await row.getByRole('link', { name: 'SMS delivery report' }).click();
    await page.getByRole('heading', { name: 'Why: Status 404' }).waitFor();
    await page.getByText('The server has nothing at this path.').waitFor();
    await page.getByRole('region', { name: 'Response body' }).getByText('no such page').waitFor();
    await page.getByRole('button', { name: 'Fix the address and send again' }).click();
    await page.getByLabel('Address (URL)').fill(`${stack.receiver.origin}/right`);
    await page.getByRole('button', { name: 'Save and send again' }).click();
    await page.getByText('The receiver accepted the callback with the status 200, on attempt 3.').waitFor();
    const received = stack.receiver.calls.filter(({ path }) => path === '/right');
    expect(received.map(({ body }) => JSON.parse(body.toString()).id)).toEqual([messageId]);
    await page.getByRole('link', { name: messageId }).click();
    await page.getByRole('link', { name: 'Attempt 3' }).waitFor();
  });

  test('a refused address stays in the dialog, with the reason', async () => {
    const { stack, shop } = fixture();
    const page = await openScreen(`/deliveries/${shop.failed.deliveryId}`);
    await page.getByRole('button', { name: 'Fix the address and send again' }).click();
    await page.getByLabel('Address (URL)').fill('ftp://example.com/');
    const calls = stack.receiver.calls.length;
    await page.getByRole('button', { name: 'Save and send again' }).click();
    await page.getByRole('dialog').getByText(/uri/).waitFor();
    expect(await page.getByLabel('Address (URL)').inputValue()).toBe('ftp://example.com/');
    expect(stack.receiver.calls).toHaveLength(calls);
  });
}
