import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { createTestDatabase, findChromium, type TestDatabase } from '@ringback/testing';
import { openTab, startBrowser, type Tab, type TabOptions } from './browser.js';
import { createShop, type Shop } from './shop.js';
import { type Account, type Link, type Stack, startStack } from './stack.js';

let database: TestDatabase;
let stack: Stack | undefined;
let browser: Browser | undefined;
let current: { stack: Stack; browser: Browser; shop: Shop };
const tabs: Tab[] = [];

/** The stack, the browser and the shop. All tests use them. They may add to the shop, but do not change what it has. */
export const fixture = () => current;

type OpenOptions = { account?: Account; session?: object; tabOptions?: TabOptions };

/** Starts the stack and the browser. A test fails if one of its pages had an error or stored data. */
export function useFixture(): void {
  beforeAll(async () => {
    database = await createTestDatabase();
    stack = await startStack(database.url);
    browser = await startBrowser(findChromium() ?? '');
    current = { stack, browser, shop: await createShop(stack) };
  });
  afterEach(async () => {
    const opened = tabs.splice(0);
    const problems = (await Promise.all(opened.map((tab) => tab.problems()))).flat();
    await Promise.all(opened.map(({ context }) => context.close()));
    expect(problems).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.close();
    await database?.drop();
  });
}

/** The URL of a screen in a session. */
export const urlOf = (link: Link, path: string) => `${current.stack.origin}/portal${path}${new URL(link.url).hash}`;

/** Opens a screen in a new tab, with a session of the account, by default the shop. */
export async function openScreen(path: string, { account, session, tabOptions }: OpenOptions = {}): Promise<Page> {
  const link = await current.stack.openLink(account ?? current.shop.account, session);
  return openUrl(urlOf(link, path), tabOptions);
}

/** Opens a URL in a new tab. */
export async function openUrl(url: string, tabOptions?: TabOptions): Promise<Page> {
  const tab = await openTab(current.browser, tabOptions);
  tabs.push(tab);
  await tab.page.goto(url);
  return tab.page;
}

/** Opens the page's URL in the same tab with a new link, because a reload ends the session. */
export async function reopen(page: Page, account: Account = current.shop.account): Promise<void> {
  const { pathname, search } = new URL(page.url());
  const link = await current.stack.openLink(account);
  // Browsers do not load a page again if only the fragment changes.
  await page.goto('about:blank');
  await page.goto(urlOf(link, pathname.replace('/portal', '') + search));
}

/** Navigates to another screen in the same tab, as a link does. */
export const goTo = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => history.pushState(null, '', `/portal${to}`), path);

/** Resolves when the screen with this heading has loaded its data. */
export async function waitUntilLoaded(page: Page, heading: string | RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
}
