import { beforeAll, expect, test } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { colourRules, switchToDark, violationsOf } from '../appearance.js';
import type { Account } from '../stack.js';
import { fixture, goTo, openScreen, openUrl, waitUntilLoaded } from '../fixture.js';

const unknownId = '180ebbb5-9b6f-4c51-a98a-0123456789ab';

async function expectNoViolation(page: Page): Promise<void> {
  expect(await violationsOf(page)).toEqual([]);
  await switchToDark(page);
  expect(await violationsOf(page, colourRules)).toEqual([]);
}

/** The screens without data and with failures. */
export function testStates(): void {
  let empty: Account;
  beforeAll(async () => void (empty = await fixture().stack.createAccount('Empty Ltd')));

  test('each screen of an empty account shows that it is empty, and an unknown URL that it is not found', async () => {
    const page = await openScreen('/%zz', { account: empty });
    for (const [path, text] of [
      ['/%zz', 'There is no such page.'],
      ['/webhooks/%zz', 'There is no such webhook.'],
      ['/', 'No delivery has failed.'],
      ['/webhooks', 'There are no webhooks yet.'],
      ['/webhooks?name=nothing', 'No webhook matches the filters.'],
      ['/deliveries', 'There are no deliveries yet.'],
      ['/deliveries?status=failed', 'No delivery matches the filters.'],
      ['/messages?id=none', 'There is no such message.'],
      ['/messages?mobile=%2B447700900000', 'There are no callbacks for this number.'],
      ['/replays', 'There are no replays.'],
      ['/developer?tab=signatures', 'Callbacks are signed unless the webhook turns this off.'],
      [`/webhooks/${unknownId}`, 'There is no such webhook.'],
      [`/deliveries/${unknownId}`, 'Not found'],
      ['/nowhere', 'There is no such page.'],
    ] as const) {
      await goTo(page, path);
      await page.locator('main').getByText(text).first().waitFor();
      await waitUntilLoaded(page, /./);
      expect([path, await violationsOf(page)]).toEqual([path, []]);
    }
  });

  test('a message of an account that moved says where its other events may be', async () => {
    const { stack } = fixture();
    const moved = await stack.createAccount('moved');
    const { messageId } = await stack.deliver(moved, await stack.createWebhook(moved, 'hook', '/moved'));
    await stack.query('UPDATE accounts SET other_installation = $1 WHERE id = $2', [
      'https://b.example.com/',
      moved.id,
    ]);
    const page = await openScreen(`/messages?id=${messageId}`, { account: moved });
    const notice = page.locator('main').getByText('Other events of this message may be at https://b.example.com/.');
    await notice.waitFor();
    await page.getByRole('table', { name: 'List of callbacks' }).getByText('Delivered').waitFor();
    await goTo(page, '/messages?id=elsewhere');
    await page.getByText('None of the events of this message are here.').waitFor();
    await notice.waitFor();
    await waitUntilLoaded(page, /./);
    expect(
      await page
        .locator('main')
        .getByText(/No webhook is subscribed/)
        .count(),
    ).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
  });

  test('invalid filters in the URL are listed, and can be removed', async () => {
    const page = await openScreen('/messages', { account: empty });
    await waitUntilLoaded(page, 'Messages');
    for (const path of [
      '/?range=century',
      '/deliveries?status=lost&response_code=9',
      '/webhooks?deleted=never',
      '/replays?webhook_id=x',
    ]) {
      await goTo(page, path);
      const problem = page.getByRole('alert').filter({ hasText: 'The URL has invalid filters' });
      await problem.waitFor();
      await waitUntilLoaded(page, /./);
      expect([path, await violationsOf(page)]).toEqual([path, []]);
      await problem.getByRole('button', { name: 'Clear all filters' }).click();
      await problem.waitFor({ state: 'detached' });
    }
  });

  test('when the API fails, each screen shows the error, and can try again', async () => {
    const page = await openScreen('/webhooks/new');
    await waitUntilLoaded(page, 'New webhook');
    const body = JSON.stringify({ status: 'ServerError', code: 500, message: 'Something broke.' });
    const fail = (route: Route) => route.fulfill({ status: 500, body, contentType: 'application/json' });
    for (const path of ['/', '/webhooks', '/deliveries', '/messages?id=x', '/replays', '/developer']) {
      await page.route('**/api/v2/**', fail);
      await goTo(page, path);
      const errors = page.getByRole('alert').filter({ hasText: 'Something broke.' });
      await errors.first().waitFor();
      await waitUntilLoaded(page, /./);
      expect([path, await violationsOf(page)]).toEqual([path, []]);
      await page.unroute('**/api/v2/**');
      const buttons = await page.getByRole('button', { name: 'Try again' }).all();
      for (const button of buttons.reverse()) await button.click();
      await errors.first().waitFor({ state: 'detached' });
    }
  });

  test('without a network, the page shows that it is offline, until the network is back', async () => {
    const page = await openScreen('/webhooks');
    await waitUntilLoaded(page, 'Webhooks');
    await page.context().setOffline(true);
    await page.getByText('You are offline. The data may be out of date').waitFor();
    await expectNoViolation(page);
    await page.context().setOffline(false);
    await page.getByText('You are offline. The data may be out of date').waitFor({ state: 'detached' });
  });

  test('a URL without a session shows how to open the portal', async () => {
    const page = await openUrl(`${fixture().stack.origin}/portal/webhooks`);
    await page.getByRole('heading', { name: 'Open the portal with a link' }).waitFor();
    await expectNoViolation(page);
  });
}
