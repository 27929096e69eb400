import { expect, test } from '@jest/globals';
import { violationsOf } from '../appearance.js';
import { fixture, openScreen, waitUntilLoaded } from '../fixture.js';

/** Webhooks from their creation to their deletion. */
export function testWebhooks(): void {
  test('a webhook is created with a preview, edited, deactivated, deleted, restored, and found by its name', async () => {
    const { stack } = fixture();
    const account = await stack.createAccount('Editing Ltd');
    const page = await openScreen('/webhooks', { account });
    await page.getByRole('link', { name: 'New webhook' }).click();
    await page.getByLabel('Name').fill('Reports');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page
      .getByText(/uri field is required/)
      .first()
      .waitFor();
    await page.getByLabel('Address (uri)').fill(`${stack.receiver.origin}/reports?m={{id}}`);
    await page.getByText('A template', { exact: true }).click();
    await page.getByLabel('Body template').fill('{"to": "{{mobile}}", "n": "{{nothing}}"}');
    await page.locator('.preview-warning').getByText('nothing').waitFor();
    await page.getByRole('region', { name: 'Request body' }).getByText('918921269000').waitFor();
    await page.getByLabel('Body template').fill('{"to": ');
    await page.getByText('The body template must be valid JSON.').waitFor();
    await page.getByLabel('Body template').fill('{"to": "{{mobile}}", "price": 2.0000}');
    await page.getByRole('region', { name: 'Request body' }).getByText('2.0000').waitFor();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await waitUntilLoaded(page, 'Reports');
    const { messageId } = await stack.deliver(account, {
      id: page.url().split('/').at(-1)!.split(/[#?]/)[0]!,
      name: '',
      uri: '',
    });
    const [received] = stack.receiver.calls.filter(({ path }) => path.startsWith('/reports'));
    expect([received!.path, received!.body.toString()]).toEqual([
      `/reports?m=${encodeURIComponent(messageId)}`,
      '{"to":"918921269000","price":2.0000}',
    ]);
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await waitUntilLoaded(page, 'Edit webhook');
    expect(await page.getByLabel('Body template').inputValue()).toContain('2.0000');
    await page.getByLabel('Name').fill('Renamed');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await waitUntilLoaded(page, 'Renamed');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByRole('button', { name: 'Activate' }).waitFor();
    await page.getByRole('button', { name: 'Delete the webhook' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('This webhook is deleted.').waitFor();
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.getByText('There are no webhooks yet.').waitFor();
    await page.getByLabel('Deleted').selectOption('only');
    await page.getByRole('button', { name: 'Restore Renamed' }).click();
    await page.getByLabel('Deleted').selectOption('');
    await page.getByLabel('Name contains').fill('renam');
    await page.waitForURL(/name=renam/);
    await page.getByRole('link', { name: 'Renamed' }).click();
    await page.getByRole('link', { name: 'Changes' }).click();
    await page.getByRole('table', { name: 'Changes' }).getByText('Restored').waitFor();
    expect(await page.getByRole('table', { name: 'Changes' }).getByText('Portal session').count()).toBeGreaterThan(3);
  });

  test('an edit of a webhook keeps what others changed meanwhile, shows it, and stores only its own changes', async () => {
    const { stack } = fixture();
    const account = await stack.createAccount('Two editors Ltd');
    const settings = { secret: 'first-secret', rate_limit: 5 };
    const webhook = await stack.createWebhook(account, 'Shared', '/before', settings);
    const path = `/developer/webhooks/${webhook.id}`;
    const shown = async () => (await account.call('GET', path)).body.data;
    const page = await openScreen(`/webhooks/${webhook.id}/edit`, { account });
    await waitUntilLoaded(page, 'Edit webhook');
    const uri = `${stack.receiver.origin}/after`;
    const theirs = { name: 'Shared', uri, rate_limit: 9, secret: 'second-secret' };
    expect((await account.call('PUT', path, theirs)).status).toBe(200);
    await page.getByLabel('Name').fill('Mine');
    await page.getByLabel('Maximum callbacks per second').fill('7');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const notice = page.getByRole('region', { name: 'This webhook was changed meanwhile' });
    await notice.waitFor();
    expect(await shown()).toMatchObject(theirs);
    const lines = await notice.getByRole('listitem').allInnerTexts();
    expect(lines.map((line) => line.replaceAll(/\s+/g, ' '))).toEqual([
      expect.stringMatching(/^Address \(uri\): .*\/before → .*\/after$/),
      'Bearer secret changed',
      expect.stringMatching(
        /^Maximum callbacks per second: 5 → .*9. Your own value is kept; saving replaces the new one.$/,
      ),
    ]);
    expect(await violationsOf(page)).toEqual([]);
    const values = ['Name', 'Address (uri)', 'Bearer secret', 'Maximum callbacks per second'].map((label) =>
      page.getByLabel(label, { exact: true }).inputValue(),
    );
    expect(await Promise.all(values)).toEqual(['Mine', uri, 'second-secret', '7']);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await waitUntilLoaded(page, 'Mine');
    expect(await shown()).toMatchObject({ ...theirs, name: 'Mine', rate_limit: 7 });
  });

  test('a paused webhook is resumed; both secrets are shown on request; a test call shows the full response', async () => {
    const { stack, shop } = fixture();
    stack.answers.set('/tested', { status: 202, body: 'noted', headers: { 'X-Queue': 'nightly' } });
    const webhook = await stack.createWebhook(shop.account, 'Tested', '/tested', { secret: 'my-bearer-secret' });
    await stack.query(`UPDATE webhooks SET paused_at = now(), pause_reason = 'gone' WHERE id = $1`, [webhook.id]);
    const page = await openScreen(`/webhooks/${webhook.id}?tab=settings`);
    await page.getByText('It returned the status 410').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('status').getByText('The webhook was resumed.').waitFor();
    await page.getByText('It returned the status 410').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show the Bearer secret' }).waitFor();
    expect(await page.content()).not.toContain('my-bearer-secret');
    await page.getByRole('button', { name: 'Show the Bearer secret' }).click();
    await page.getByText('my-bearer-secret').waitFor();
    expect(await page.content()).not.toContain('whsec_');
    await page.getByRole('button', { name: 'Show the secret' }).click();
    await page.getByText(/^whsec_/).waitFor();
    const before = await page.getByText(/^whsec_/).innerText();
    await page.getByRole('button', { name: 'Replace the secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
    await page.getByText('Callbacks also carry a signature with the previous secret').waitFor();
    expect(await page.getByText(/^whsec_/).innerText()).not.toBe(before);
    await page.getByRole('link', { name: 'Test call' }).click();
    await page.getByRole('button', { name: 'Send test call' }).click();
    const result = page.locator('.test-result');
    await result.getByText('noted').waitFor();
    await result.getByText('nightly').waitFor();
  });
}
