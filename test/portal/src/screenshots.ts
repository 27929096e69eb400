// Makes the pictures of docs/portal: node test/portal/dist/screenshots.js
import { mkdirSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { migrate } from '@ringback/ledger';
import { findChromium, startTestPostgres } from '@ringback/testing';
import { openTab, startBrowser, type TabOptions } from './browser.js';
import { createPictureData, type PictureData } from './picture-data.js';
import { root } from './program.js';
import { startStack } from './stack.js';

const folder = join(root, 'docs/portal');
const maxBytes = 150_000;
const phone = { width: 390, height: 844 };

type Picture = { name: string; path: string; ready: string; tabOptions?: TabOptions };

const picturesOf = ({ failed, messageId, webhookId }: PictureData): Picture[] => [
  { name: 'overview', path: '/', ready: 'Last failed deliveries' },
  { name: 'overview-dark', path: '/', ready: 'Last failed deliveries', tabOptions: { colorScheme: 'dark' } },
  { name: 'overview-phone', path: '/', ready: 'Last failed deliveries', tabOptions: phone },
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
  const temporaryFolder = mkdtempSync(join(tmpdir(), 'ringback-pictures-'));
  const postgres = await startTestPostgres({ folder: temporaryFolder, settings: { fsync: 'off' }, temporary: true });
  await migrate(postgres.url);
  const [stack, browser] = await Promise.all([startStack(postgres.url), startBrowser(chromium)]);
  mkdirSync(folder, { recursive: true });
  try {
    const data = await createPictureData(stack);
    for (const picture of picturesOf(data)) {
      const { url } = await stack.openLink(data.account, { actor: 'Support' });
      await takePicture(browser, `${stack.origin}/portal${picture.path}${new URL(url).hash}`, picture);
    }
  } finally {
    await browser.close();
    await stack.close();
    await postgres.stop(500);
  }
}

async function takePicture(browser: Browser, url: string, { name, ready, tabOptions }: Picture): Promise<void> {
  const { page, context } = await openTab(browser, tabOptions);
  await page.goto(url);
  await page.locator('main').getByText(ready).filter({ visible: true }).first().waitFor();
  await page.locator('.skeleton, [aria-busy="true"]').first().waitFor({ state: 'detached' });
  // Until its name is loaded, a webhook is shown by the start of its id.
  await page
    .locator('main')
    .getByText(/^[0-9a-f]{8}…$/)
    .first()
    .waitFor({ state: 'detached' });
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path, animations: 'disabled' });
  await context.close();
  const { size } = statSync(path);
  if (size > maxBytes) throw new Error(`${path} has ${size} bytes; at most ${maxBytes} are allowed.`);
}

await main();
