import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { switchToDark, violationsOf } from '../appearance.js';
import { fixture, openScreen, openUrl, reopen, urlOf, waitUntilLoaded } from '../fixture.js';

const returnUrl = 'https://platform.example/webhooks';
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Your session has ended' });

/** Waits for the form of a webhook, and types a name. */
async function changeName(page: Page): Promise<void> {
  await waitUntilLoaded(page, 'Edit webhook');
  await page.getByLabel('Name').fill('Typed before the end');
}

/** Portal links and the end of sessions. */
export function testSessions(): void {
  test('an expired link shows that the session has ended, and where to get a new link', async () => {
    const { stack, shop } = fixture();
    const link = await stack.openLink(shop.account, { return_url: returnUrl });
    await stack.query(`UPDATE portal_sessions SET expires_at = now() - interval '1 second' WHERE id = $1`, [link.id]);
    const page = await openUrl(urlOf(link, '/deliveries'));
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    expect(await page.getByRole('link', { name: 'Get a new link' }).getAttribute('href')).toBe(returnUrl);
    expect(await page.getByRole('link', { name: 'Deliveries' }).count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
  });

  test.each(['#session=rb_portal_00000000000000000000000000000000', '#session=%', '#session='])(
    'an invalid link, %s, shows no data',
    async (hash) => {
      const page = await openUrl(`${fixture().stack.origin}/portal/webhooks${hash}`);
      await page.getByRole('heading', { name: /^(Your session has ended|Open the portal with a link)$/ }).waitFor();
      expect(await page.getByRole('table').count()).toBe(0);
    },
  );

  test('when a session ends during an edit, the page keeps the text and continues with a new link', async () => {
    const { stack, shop } = fixture();
    const webhook = await stack.createWebhook(shop.account, 'Before', '/session');
    const link = await stack.openLink(shop.account);
    const page = await openUrl(urlOf(link, `/webhooks/${webhook.id}/edit`));
    await changeName(page);
    await stack.endLink(link);
    // The preview may find out first, and then the dialog covers the button.
    await page.getByRole('button', { name: 'Save', exact: true }).dispatchEvent('click');
    await dialogOf(page).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const other = await stack.openLink(await stack.createAccount('Other Ltd'));
    await page.getByLabel('New portal link').fill(other.url);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('This link is for another account').waitFor();
    await page.getByLabel('New portal link').fill(link.url);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('This link has expired or has been used, too.').waitFor();
    await page.getByLabel('New portal link').fill((await stack.openLink(shop.account)).url);
    await page.getByRole('button', { name: 'Continue' }).click();
    await dialogOf(page).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed before the end');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await waitUntilLoaded(page, 'Typed before the end');
    await reopen(page);
    await waitUntilLoaded(page, 'Typed before the end');
  });

  test('a page that makes no request notices that its session has expired', async () => {
    const { stack, shop } = fixture();
    const link = await stack.openLink(shop.account, { expires_in: 900 });
    const page = await openUrl('about:blank');
    await page.clock.install();
    await page.goto(urlOf(link, `/webhooks/${shop.warehouse.id}/edit`));
    await changeName(page);
    await page.clock.fastForward('14:00');
    expect(await dialogOf(page).count()).toBe(0);
    await page.clock.fastForward('02:00');
    await dialogOf(page).waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed before the end');
  });

  test('the bearer token is only in memory, and the link token is gone once it is exchanged', async () => {
    const { stack, shop } = fixture();
    const link = await stack.openLink(shop.account);
    const page = await openUrl('about:blank');
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url(), request.headers().referer ?? ''));
    await page.goto(urlOf(link, '/webhooks'));
    await waitUntilLoaded(page, 'Webhooks');
    const token = new URL(link.url).hash.replace('#session=', '');
    expect(requested.filter((text) => new URL(text || 'http://none').href.split('#')[0]!.includes(token))).toEqual([]);
    expect(requested.length).toBeGreaterThan(6);
    expect(await page.context().cookies()).toEqual([]);
    expect(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])).toEqual([
      0,
      0,
      '',
    ]);
    const addresses = [page.url()];
    for (const name of ['Deliveries', 'Messages']) {
      await page.getByRole('link', { name }).first().click();
      await waitUntilLoaded(page, name);
      expect(await page.content()).not.toMatch(/rb_|session=/);
      addresses.push(page.url());
    }
    await page.goBack();
    await page.goBack();
    await waitUntilLoaded(page, 'Webhooks');
    addresses.push(page.url());
    const { origin } = stack;
    expect(addresses).toEqual(
      ['/webhooks', '/deliveries', '/messages', '/webhooks'].map((path) => `${origin}/portal${path}`),
    );
    expect(await page.evaluate(() => JSON.stringify(history.state))).not.toMatch(/rb_|session=/);
  });

  test('an address copied from the portal opens nothing, and a reload asks for a new link', async () => {
    const { shop } = fixture();
    const page = await openScreen(`/webhooks/${shop.warehouse.id}`);
    await waitUntilLoaded(page, shop.warehouse.name);
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await waitUntilLoaded(page, 'Edit webhook');
    const copy = await openUrl(page.url());
    await page.reload();
    for (const each of [copy, page]) {
      await each.getByRole('heading', { name: 'Open the portal with a link' }).waitFor();
      await each.getByText('portal-link --account ID').waitFor();
      expect(await each.content()).not.toContain(shop.warehouse.name);
      expect(await violationsOf(each)).toEqual([]);
    }
  });

  test('a link opens the portal once; after that it says that it was used, and where to get a new one', async () => {
    const { stack, shop } = fixture();
    const link = await stack.openLink(shop.account, { return_url: returnUrl });
    const first = await openUrl(link.url);
    await waitUntilLoaded(first, 'Overview');
    const second = await openUrl(link.url);
    // In the same tab, only the fragment changes.
    await first.goto(link.url);
    for (const page of [second, first]) {
      await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
      await page.getByText('a link works once').waitFor();
      expect(await page.getByRole('link', { name: 'Get a new link' }).getAttribute('href')).toBe(returnUrl);
      expect(page.url()).toBe(`${stack.origin}/portal/`);
    }
  });

  test('when the link cannot be exchanged at the moment, it can be tried again', async () => {
    const { stack, shop } = fixture();
    const page = await openUrl('about:blank');
    await page.route('**/portal-sessions/exchange', (route) => route.fulfill({ status: 503, body: '{}' }), {
      times: 1,
    });
    await page.goto((await stack.openLink(shop.account)).url);
    await page.getByRole('button', { name: 'Try again' }).click();
    await waitUntilLoaded(page, 'Overview');
    expect(page.url()).toBe(`${stack.origin}/portal/`);
  });

  test('the page has the mask and the theme of its session, readable in light and dark colours', async () => {
    const { shop } = fixture();
    const logo_url = 'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg"/%3E';
    const theme = { name: 'Acme', accent: '#ffd400', text: '#203040', font: 'Georgia, serif', logo_url };
    const page = await openScreen(`/deliveries/${shop.failed.deliveryId}`, { session: { mask: true, theme } });
    await waitUntilLoaded(page, 'Delivery');
    const lookOf = () =>
      page.evaluate(() => {
        const { color, fontFamily } = getComputedStyle(document.body);
        return [document.title, color, fontFamily, document.querySelector('img')?.src.slice(0, 14)];
      });
    expect(await lookOf()).toEqual(['Delivery · Acme', 'rgb(32, 48, 64)', 'Georgia, serif', 'data:image/svg']);
    expect(await violationsOf(page)).toEqual([]);
    await switchToDark(page);
    // The theme's text colour is not readable on the dark background.
    expect((await lookOf())[1]).not.toBe('rgb(32, 48, 64)');
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.locator('body').innerText()).not.toContain('447700900123');
    await page.getByRole('button', { name: 'Mask numbers' }).click();
    await page.getByText('447700900123').first().waitFor();
  });
}
