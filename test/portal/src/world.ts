import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { createTestDatabase, findChromium, type TestDatabase } from '@ringback/testing';
import { type Look, openTab, startBrowser, type Tab } from './browser.js';
import { fill, type Shop } from './sample-data.js';
import { type Account, type Link, type Stack, startStack } from './stack.js';

let database: TestDatabase;
let current: { stack: Stack; browser: Browser; shop: Shop };
const tabs: Tab[] = [];
// Also when another part did not start: what runs on would keep jest from ending.
const started: { close: () => Promise<void> }[] = [];

/** What all tests share: the stack, and an account with deliveries of every kind, which no test changes. */
export const world = () => current;

type OpenOptions = { account?: Account; session?: object; look?: Look };

/** Starts the stack and the browser. After each test, no page may have had an error or have stored anything. */
export function useWorld(): void {
  beforeAll(async () => {
    database = await createTestDatabase();
    const starting = [startStack(database.url), startBrowser(findChromium() ?? '')] as const;
    for (const one of starting) one.then((opened) => started.push(opened)).catch(() => undefined);
    const [stack, browser] = await Promise.all(starting);
    current = { stack, browser, shop: await fill(stack) };
  });
  afterEach(async () => {
    const opened = tabs.splice(0);
    const problems = (await Promise.all(opened.map((tab) => tab.problems()))).flat();
    await Promise.all(opened.map(({ context }) => context.close()));
    expect(problems).toEqual([]);
  });
  afterAll(async () => {
    await Promise.all(started.map((one) => one.close()));
    await database?.drop();
  });
}

/** The address of a screen in a session. */
export const addressOf = (link: Link, path: string) => `${current.stack.origin}/portal${path}${new URL(link.url).hash}`;

/** Opens a screen in a new tab, with a session of the shop unless another account is given. */
export async function open(path: string, { account, session, look }: OpenOptions = {}): Promise<Page> {
  const link = await current.stack.openLink(account ?? current.shop.account, session);
  return openLinkIn(addressOf(link, path), look);
}

/** Opens any address in a new tab. */
export async function openLinkIn(url: string, look?: Look): Promise<Page> {
  const tab = await openTab(current.browser, look);
  tabs.push(tab);
  await tab.page.goto(url);
  return tab.page;
}

/** Goes to another screen in the tab, as a link of the page does. */
export const goTo = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => history.pushState(null, '', `/portal${to}${location.hash}`), path);

/** Resolves when the screen with this heading shows what it loaded. */
export async function loaded(page: Page, heading: string | RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
}
