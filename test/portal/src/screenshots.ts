// Makes the pictures of docs/portal: node test/portal/dist/screenshots.js
import { mkdirSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { migrate } from '@ringback/database';
import { findChromium, startTestPostgres } from '@ringback/testing';
import { type Look, openTab, startBrowser } from './browser.js';
import { fillForPictures, type Pictured } from './picture-data.js';
import { root } from './program.js';
import { startStack } from './stack.js';

const folder = join(root, 'docs/portal');
const maxBytes = 150_000;
const phone = { width: 390, height: 844 };

type Picture = { name: string; path: string; ready: string; look?: Look };

const picturesOf = ({ failed, messageId, webhookId }: Pictured): Picture[] => [
  { name: 'overview', path: '/', ready: 'Last failed deliveries' },
  { name: 'overview-dark', path: '/', ready: 'Last failed deliveries', look: { colorScheme: 'dark' } },
  { name: 'overview-phone', path: '/', ready: 'Last failed deliveries', look: phone },
  { name: 'webhooks', path: '/webhooks', ready: 'Last 24 hours' },
  { name: 'webhook', path: `/webhooks/${webhookId}`, ready: 'Responses by status' },
  { name: 'webhook-edit', path: `/webhooks/${webhookId}/edit`, ready: 'Request body' },
  { name: 'deliveries', path: '/deliveries', ready: 'Warehouse' },
  { name: 'delivery', path: `/deliveries/${failed}`, ready: 'What to do:' },
  { name: 'message', path: `/messages?id=${encodeURIComponent(messageId)}`, ready: 'Long waits are drawn shorter.' },
  { name: 'developer', path: '/developer?tab=signatures', ready: 'Verify a callback in Node' },
];

async function main(): Promise<void> {
  const chromium = findChromium();
  if (!chromium) throw new Error('There is no chromium. Install it, or name it in CHROMIUM.');
  const temporary = mkdtempSync(join(tmpdir(), 'ringback-pictures-'));
  const postgres = await startTestPostgres({ folder: temporary, settings: { fsync: 'off' }, temporary: true });
  await migrate(postgres.url);
  const [stack, browser] = await Promise.all([startStack(postgres.url), startBrowser(chromium)]);
  mkdirSync(folder, { recursive: true });
  try {
    const pictured = await fillForPictures(stack);
    for (const picture of picturesOf(pictured)) {
      const { url } = await stack.openLink(pictured.account, { actor: 'Support' });
      await take(browser, `${stack.origin}/portal${picture.path}${new URL(url).hash}`, picture);
    }
  } finally {
    await browser.close();
    await stack.close();
    await postgres.stop(500);
  }
}

async function take(browser: Browser, url: string, { name, ready, look }: Picture): Promise<void> {
  const { page, context } = await openTab(browser, look);
  await page.goto(url);
  await page.locator('main').getByText(ready).filter({ visible: true }).first().waitFor();
  await page.locator('.skeleton, [aria-busy="true"]').first().waitFor({ state: 'detached' });
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path, animations: 'disabled' });
  await context.close();
  const { size } = statSync(path);
  if (size > maxBytes) throw new Error(`${path} has ${size} bytes; at most ${maxBytes} are allowed.`);
}

await main();
