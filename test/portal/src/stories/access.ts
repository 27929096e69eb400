import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { violationsOf } from '../appearance.js';
import type { Account, SentEvent, Webhook } from '../stack.js';
import { fixture, goTo, openScreen, waitUntilLoaded } from '../fixture.js';

type OtherAccount = { account: Account; webhook: Webhook; sent: SentEvent };

/** Visits the screens, and resolves with the text of all pages and of all API responses. */
async function collectTexts(page: Page, paths: string[]): Promise<string> {
  const texts: Promise<string>[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/api/')) texts.push(response.text().catch(() => ''));
  });
  const shown: string[] = [];
  for (const path of paths) {
    await goTo(page, path);
    await waitUntilLoaded(page, /./);
    shown.push(await page.locator('body').innerText());
  }
  return [...shown, ...(await Promise.all(texts))].join('\n');
}

/** The names of controls that change data or lead to a form that does, in contrast to those that only show data. */
const changingControl =
  /^(new |create|edit|save|delete|restore|resume|replay$|send|fix|deactivate|activate|replace|revoke|remove (?!.*filter)|add|generate|change it|verify|run|stop|select)/i;

/** The names of those controls on the page that match `changingControl`. */
async function changingControlsOn(page: Page): Promise<string[]> {
  const controls = page.locator('main').locator('button, a.button, input[type=checkbox]').filter({ visible: true });
  const names = await controls.evaluateAll((all) =>
    all.map(
      (control) => control.getAttribute('aria-label') ?? (control.closest('label') ?? control).textContent.trim(),
    ),
  );
  return names.filter((name) => changingControl.test(name));
}

/** What sessions can see and change. */
export function testAccess(): void {
  let other: OtherAccount;
  beforeAll(async () => {
    const { stack } = fixture();
    const account = await stack.createAccount('Secretive Ltd');
    const webhook = await stack.createWebhook(account, 'Hidden hook', '/hidden-path');
    const sent = await stack.deliver(account, webhook, { payload: { mobile: '491700000001', custom: 'hidden-order' } });
    other = { account, webhook, sent };
  });
  const pathsOf = ({ webhook: { id }, sent: { deliveryId } }: OtherAccount) => [
    ...['/', '/webhooks', '/webhooks?deleted=with&name=Hidden', `/webhooks/${id}`, `/webhooks/${id}?tab=settings`],
    ...[`/webhooks/${id}?tab=changes`, `/webhooks/${id}/edit`, '/deliveries', `/deliveries?webhook_id=${id}`],
    ...[`/deliveries/${deliveryId}`, `/replays?webhook_id=${id}`, `/replays?new=1&webhook_id=${id}`, '/developer'],
    ...[`/developer?tab=signatures&webhook_id=${id}`, '/messages?mobile=491700000001'],
  ];
  const messagePath = ({ sent }: OtherAccount) => `/messages?id=${encodeURIComponent(sent.messageId)}`;
  const secrets = ['Secretive', 'Hidden hook', 'hidden-path', 'hidden-order'];
  const secretsIn = (text: string) => secrets.filter((secret) => text.includes(secret));

  test('an account sees no data of another account on any screen', async () => {
    const paths = [...pathsOf(other), messagePath(other)].filter((path) => !path.includes('name=Hidden'));
    const own = await openScreen('/messages', { account: other.account });
    expect(secretsIn(await collectTexts(own, paths))).toEqual(secrets);
    const page = await openScreen('/messages');
    await waitUntilLoaded(page, 'Messages');
    expect(secretsIn(await collectTexts(page, paths))).toEqual([]);
  });

  test('a session restricted to some webhooks sees no other webhook of the account', async () => {
    const { stack } = fixture();
    const { account, webhook } = other;
    const visible = await stack.createWebhook(account, 'Open hook', '/open');
    await stack.deliver(account, visible);
    const page = await openScreen('/webhooks', { account, session: { webhook_ids: [visible.id] } });
    await waitUntilLoaded(page, 'Webhooks');
    expect(await page.getByRole('rowheader').allInnerTexts()).toEqual([expect.stringContaining('Open hook')]);
    expect(await page.getByRole('link', { name: 'New webhook' }).count()).toBe(0);
    const text = await collectTexts(page, [...pathsOf(other), messagePath(other)]);
    expect(secretsIn(text.replaceAll('Secretive', '').replaceAll('name=Hidden', ''))).toEqual([]);
    expect(text).toContain('Open hook');
    await goTo(page, `/webhooks/${webhook.id}`);
    await page.getByText('There is no such webhook.').waitFor();
    await goTo(page, '/developer');
    await page.getByText('This session may not see the access tokens of the account.').waitFor();
    await goTo(page, '/webhooks/new');
    await page.getByText('This session may not create webhooks.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await goTo(page, `/webhooks/${visible.id}/edit`);
    await page.getByText('This session may not add subscriptions.').waitFor();
    expect(await page.getByRole('button', { name: 'Add subscription' }).count()).toBe(0);
    await page.getByLabel('Address (uri)').fill('https://example.com/elsewhere');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The uri field cannot change in a session that is restricted to some webhooks').waitFor();
  });

  test('a session with only the read scope has no control that changes data on any screen', async () => {
    const { shop } = fixture();
    const { id } = shop.warehouse;
    const delivery = `/deliveries/${shop.failed.deliveryId}`;
    const screens: [path: string, text: string][] = [
      ['/webhooks?deleted=with', 'Last 24 hours'],
      [`/webhooks/${id}`, 'Responses by status'],
      [`/webhooks/${id}?tab=settings`, 'While a webhook is inactive, its deliveries are skipped'],
      [`/webhooks/${id}?tab=test`, 'This session may not send test calls.'],
      [`/webhooks/${id}/edit`, 'This session may not edit webhooks.'],
      ['/webhooks/new', 'This session may not create webhooks.'],
      ['/deliveries', 'Status 200'],
      [delivery, 'This session may not send deliveries again.'],
      ['/replays?new=1', 'This session may not start replays.'],
      ['/developer', 'Active'],
    ];
    const page = await openScreen('/', { session: { scopes: ['read'] } });
    await waitUntilLoaded(page, 'Overview');
    for (const [path, text] of screens) {
      await goTo(page, path);
      await page.locator('main').getByText(text).filter({ visible: true }).first().waitFor();
      await waitUntilLoaded(page, /./);
      expect([path, await changingControlsOn(page)]).toEqual([path, []]);
      if (text.startsWith('This session')) expect([path, await violationsOf(page)]).toEqual([path, []]);
    }
    // In a session that may write, the same function finds the controls.
    const writer = await openScreen(`/webhooks/${id}?tab=settings`);
    await writer.getByRole('button', { name: 'Delete the webhook' }).waitFor();
    const controls = await changingControlsOn(writer);
    expect(controls).toEqual(
      expect.arrayContaining(['Replay', 'Edit', 'Deactivate', 'Save the limit', 'Delete the webhook']),
    );
    await goTo(writer, delivery);
    await writer.getByRole('button', { name: 'Send again', exact: true }).waitFor();
    expect(await changingControlsOn(writer)).toEqual([
      'Fix the address and send again',
      'Send again',
      'Edit the webhook',
    ]);
  });
}
