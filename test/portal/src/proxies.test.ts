import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { createTestDatabase, findChromium, type TestDatabase, until } from '@ringback/testing';
import { openTab, startBrowser, type Tab } from './browser.js';
import { findFreePort, hasNginx, readDocumentedLocations, startNginx } from './nginx.js';
import { type Account, type Stack, startStack, type Webhook } from './stack.js';

let database: TestDatabase;
let browser: Browser;
let port: number;
let stack: Stack;
let publicUrl: string;

type Nginx = Awaited<ReturnType<typeof startNginx>>;
type Seen = { url: string; status: number | undefined };

const proxies = ['removing', 'keeping'] as const;

// The two have one public address, so one API serves both.
(findChromium() && hasNginx() ? describe : describe.skip)('under a path, behind nginx', () => {
  beforeAll(async () => {
    [database, port] = await Promise.all([createTestDatabase(), findFreePort()]);
    publicUrl = `http://127.0.0.1:${port}/callbacks`;
    [stack, browser] = await Promise.all([
      startStack(database.url, { PUBLIC_URL: publicUrl }),
      startBrowser(findChromium() ?? ''),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.close();
    await database?.drop();
  });

  describe.each(proxies)('%s the path', (proxy) => {
    let nginx: Nginx;
    let account: Account;
    let webhook: Webhook;
    let tab: Tab;
    let seen: Seen[];

    beforeAll(async () => {
      nginx = await startNginx(readDocumentedLocations()[proxy], { nginx: port, api: stack.port });
      account = await stack.createAccount('acme');
      webhook = await stack.createWebhook(account, 'orders', '/orders');
      await stack.createWebhook(account, 'invoices', '/invoices');
      await stack.deliver(account, webhook);
    });
    beforeEach(async () => {
      tab = await openTab(browser);
      seen = [];
      tab.context.on('requestfinished', async (request) => {
        const entry: Seen = { url: request.url(), status: undefined };
        seen.push(entry);
        entry.status = (await request.response())?.status();
      });
      tab.context.on('requestfailed', (request) => {
        // What a page still loads when it is left.
        if (request.failure()?.errorText !== 'net::ERR_ABORTED') seen.push({ url: request.url(), status: 0 });
      });
    });
    afterEach(async () => {
      await tab.page.waitForLoadState('networkidle');
      const problems = await tab.problems();
      await tab.context.close();
      const loaded = seen.filter(({ url }) => /^https?:/.test(url) && !url.startsWith(stack.receiver.origin));
      const isRight = ({ url, status }: Seen) => url.startsWith(`${publicUrl}/`) && [200, 401].includes(status ?? 0);
      expect(loaded.filter((request) => !isRight(request))).toEqual([]);
      expect(problems).toEqual([]);
    });
    afterAll(async () => {
      const requests = nginx.requests();
      await nginx.stop();
      expect(requests.length).toBeGreaterThan(20);
      // 499: the browser went to the next page before the response.
      const refused = requests.filter(({ status }) => ![200, 202, 401, 499].includes(status));
      expect([refused, requests.filter(({ path }) => !path.startsWith('/callbacks/'))]).toEqual([[], []]);
    });

    const heading = (name: string) => tab.page.getByRole('heading', { level: 1, name });

    test('a body of NDJSON as large as the API takes is answered', async () => {
      const body = `"${'x'.repeat(6_500)}"\n`.repeat(10_000);
      const headers = { Authorization: `Bearer ${stack.platformToken}`, 'Content-Type': 'application/x-ndjson' };
      const response = await fetch(`${publicUrl}/api/v2/events`, { method: 'POST', headers, body });
      expect(response.status).toBe(202);
      expect((await response.text()).split('"state":"invalid"')).toHaveLength(10_001);
    });

    test('a session link opens the portal, and every screen shows its data', async () => {
      const { page } = tab;
      const { url } = await stack.openLink(account);
      expect(url).toMatch(new RegExp(`^${publicUrl}/portal/#session=`));
      await page.goto(url);
      await heading('Overview').waitFor();
      await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
      await page.getByRole('link', { name: 'invoices' }).waitFor();
      await page.getByRole('link', { name: 'orders' }).click();
      await heading('orders').waitFor();
      expect(page.url()).toBe(`${publicUrl}/portal/webhooks/${webhook.id}`);
      for (const name of ['Deliveries', 'Messages', 'Replays', 'Developer']) {
        await page.getByRole('link', { name, exact: true }).first().click();
        await heading(name).waitFor();
      }
      await page.getByText(`${publicUrl}/api/v2`, { exact: true }).waitFor();
      await page.goBack();
      await heading('Replays').waitFor();
    });

    test.each(['', '/', '/webhooks', '/webhooks/ID', '/webhooks/ID/edit', '/deliveries/'])(
      'the link and a reload work at the path "%s"',
      async (path) => {
        const { page } = tab;
        const { url } = await stack.openLink(account);
        const address = `${publicUrl}/portal${path.replace('ID', webhook.id)}`;
        await page.goto(address + new URL(url).hash);
        await page.getByRole('navigation').getByRole('link', { name: 'Developer' }).waitFor();
        await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
        await page.reload();
        // The session was in the memory of the page.
        await page.getByRole('heading', { name: /session|link/i }).waitFor();
        expect(page.url()).toBe(address);
      },
    );

    test('the reference shows the document and calls the API', async () => {
      const { page } = tab;
      await page.goto(new URL((await stack.openLink(account)).url).href);
      await page.getByRole('link', { name: 'Developer', exact: true }).click();
      const opened = page.waitForEvent('popup');
      await page.getByRole('link', { name: 'API reference' }).click();
      const reference = await opened;
      expect(reference.url()).toBe(`${publicUrl}/docs`);
      await reference.getByText('/developer/webhooks/{id}/test').first().waitFor();
      const operation = reference.locator('#operations-Webhooks-listWebhooks');
      await operation.click();
      await operation.getByRole('button', { name: 'Try it out' }).click();
      await operation.getByRole('button', { name: 'Execute' }).click();
      // It has no token.
      await operation.locator('.live-responses-table .response-col_status').getByText('401').waitFor();
      await until(() =>
        seen.some(({ url, status }) => url === `${publicUrl}/api/v2/developer/webhooks` && status === 401),
      );
      await reference.goto(`${publicUrl}/docs/`);
      await reference.getByText('/developer/webhooks/{id}/test').first().waitFor();
    });

    test('the element shows the portal in the page of a platform', async () => {
      const { page } = tab;
      const { url } = await stack.openLink(account);
      const content = `<script src="${publicUrl}/portal/element.js"></script><ringback-portal src="${url}"></ringback-portal>`;
      const body = `<!doctype html><html lang="en"><title>Host</title><h1>Host</h1>${content}</html>`;
      stack.answers.set('/host', { status: 200, body, headers: { 'Content-Type': 'text/html' } });
      await page.goto(`${stack.receiver.origin}/host`);
      const frame = await until(() => page.frames()[1]);
      await frame.getByRole('heading', { name: 'Overview' }).waitFor();
      await frame.getByRole('link', { name: 'Webhooks', exact: true }).click();
      await frame.getByRole('link', { name: 'orders' }).click();
      await frame.getByRole('heading', { level: 1, name: 'orders' }).waitFor();
      expect(frame.url()).toBe(`${publicUrl}/portal/webhooks/${webhook.id}`);
    });

    test('the API answers, and the links of its pages lead back to it', async () => {
      const first = await account.call('GET', '/developer/webhooks?per_page=1');
      const { links, meta } = first.body as unknown as { links: Record<string, string>; meta: { path: string } };
      expect([first.status, meta.path]).toEqual([200, `${publicUrl}/api/v2/developer/webhooks`]);
      expect(links.next).toBe(`${publicUrl}/api/v2/developer/webhooks?per_page=1&page=2`);
      const next = await account.call('GET', links.next!.slice(`${publicUrl}/api/v2`.length));
      expect(next.body.data).toMatchObject([{ name: 'orders' }]);
    });
  });
});
