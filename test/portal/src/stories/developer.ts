import { expect, test } from '@jest/globals';
import { until } from '@ringback/testing';
import { fixture, openScreen } from '../fixture.js';

/** What a developer finds: access tokens, signatures, the API reference. */
export function testDeveloper(): void {
  test('an access token is shown once, works, and is revoked; a link leads to the API reference', async () => {
    const { stack, shop } = fixture();
    const page = await openScreen('/developer');
    await page.getByRole('button', { name: 'New access token' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('nightly reports');
    await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click();
    const token = await page.locator('.new-token').innerText();
    const fetchWebhooks = () =>
      fetch(`${stack.origin}/api/v2/developer/webhooks`, { headers: { authorization: `Bearer ${token}` } });
    expect((await fetchWebhooks()).status).toBe(200);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /^Copy/ }).click();
    await dialog.getByRole('status').getByText('Copied.').click({ trial: true });
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(token);
    const rows = page.getByRole('table', { name: 'Access tokens' }).getByRole('row').filter({ hasText: 'Active' });
    await until(async () => (await rows.count()) === 2, 'the new token is in the list');
    await rows.filter({ hasText: 'nightly reports' }).filter({ hasNotText: 'read, write' }).getByRole('button').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('table', { name: 'Access tokens' }).getByText('Revoked').waitFor();
    await until(async () => (await fetchWebhooks()).status === 401, 'the token is refused');
    await page.getByRole('link', { name: 'Signatures' }).click();
    // Before the sample values are loaded, they still move the choice of the language.
    await page
      .getByText(/WEBHOOK_ID=/)
      .first()
      .waitFor();
    await page.getByText('Python', { exact: true }).click();
    await page.getByRole('region', { name: 'Verify a callback in Python' }).getByText('hmac').first().waitFor();
    await page.getByLabel('Webhook', { exact: true }).selectOption({ label: shop.orders.name });
    await page.getByText(`WEBHOOK_ID=${shop.orders.id}`).waitFor();
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'API reference' }).click();
    const reference = await opened;
    await reference.getByText('/developer/webhooks/{id}/test').first().waitFor();
    expect(new URL(reference.url()).pathname).toMatch(/^\/docs/);
  });
}
