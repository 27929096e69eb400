import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { until } from '@ringback/testing';
import { violationsOf } from './axe.js';
import { fixture, openScreen, reopen, waitUntilLoaded } from './fixture.js';

/** The main tasks of each screen. */
export function testStories(): void {
  test('Overview: key figures and failing webhooks are shown, and a link leads to a failure', async () => {
    const { stack } = fixture();
    const account = await stack.createAccount('Overview Ltd');
    stack.answers.set('/overview-fails', { status: 503 });
    const good = await stack.createWebhook(account, 'Good one', '/overview-works');
    const bad = await stack.createWebhook(account, 'Bad one', '/overview-fails');
    await stack.deliver(account, good);
    await stack.deliver(account, bad, { state: 'failed' });
    const page = await openScreen('/', { account });
    await waitUntilLoaded(page, 'Overview');
    const numbers = page.getByRole('region', { name: 'Key figures' });
    await until(
      async () => {
        await reopen(page, account);
        await waitUntilLoaded(page, 'Overview');
        return (await numbers.getByRole('definition').first().innerText()) === '3';
      },
      'the statistics have the 3 attempts',
      100_000,
      500,
    );
    expect((await numbers.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /Attempts 3 .*Succeeded 33.3 %.*Failed for good 1 /,
    );
    const failing = page.getByRole('table', { name: 'Webhooks with failures' });
    expect(await failing.getByRole('rowheader').allInnerTexts()).toEqual(['Bad one']);
    const chart = page.getByRole('slider', { name: 'Attempts by outcome' });
    await chart.press('End');
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/: Delivered \d+, .*Failed for good \d+$/);
    await page.getByText('View as a table').click();
    const table = page.getByRole('table', { name: 'Attempts by outcome' });
    await table.getByRole('columnheader', { name: 'Start' }).waitFor();
    await page.getByText('7 days', { exact: true }).click();
    await page.waitForURL(/range=7d/);
    await page.getByRole('link', { name: 'Status 503' }).click();
    await page.getByRole('heading', { name: 'Why: The receiver returned the status 503' }).waitFor();
  });

  test('Webhooks: one is created with a preview, edited, deactivated, deleted, restored, and found by its name', async () => {
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

  test('Webhook: an edit keeps what others changed meanwhile, shows it, and stores only its own changes', async () => {
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

  test('Webhook: a paused one is resumed; both secrets are shown on request; a test call shows the full response', async () => {
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

  test('Deliveries: the filters and the page are in the URL, and live updates show a new delivery', async () => {
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

  test('Deliveries: a webhook among many is found by its name; its deliveries are sent again, and downloaded', async () => {
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

  test('Replays: deliveries are counted, then sent again, with the progress until the end', async () => {
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

  test('Developer: a token is shown once, works, and is revoked; a link leads to the API reference', async () => {
    const { stack, shop } = fixture();
    const page = await openScreen('/developer');
    await page.getByRole('button', { name: 'New access token' }).click();
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
    await rows.filter({ hasNotText: 'read, write' }).getByRole('button').click();
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
