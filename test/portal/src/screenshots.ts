// Makes the pictures of docs/portal: node test/portal/dist/screenshots.js
import { mkdirSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { migrate } from '@ringback/ledger';
import { findChromium, startTestPostgres, until } from '@ringback/testing';
import { openTab, startBrowser, type TabOptions } from './browser.js';
import { type Account, root, type Stack, startStack, type Webhook } from './stack.js';

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
  { name: 'delivery', path: `/deliveries/${failed}`, ready: 'Why:' },
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

type PictureData = { account: Account; failed: string; messageId: string; webhookId: string };

const numbers = ['447700900123', '447700900187', '4915100000042', '33612000018', '918921269000', '447700900164'];
const orderCount = 60;

/** Creates an account like that of a shop, one of whose webhooks has had a wrong address for 5 hours. */
async function createPictureData(stack: Stack): Promise<PictureData> {
  const account = await stack.createAccount('Northwind Traders');
  const body = JSON.stringify({ error: 'not_found', message: 'There is no route POST /v1/delivery-reports.' });
  const headers = { 'Content-Type': 'application/json', Server: 'nginx' };
  stack.answers.set('/v1/delivery-reports', { status: 404, body, headers });
  stack.answers.set('/stock', { status: 503, body: 'upstream connect error', delayMs: 40 });
  const orders = await stack.createWebhook(account, 'Order updates', '/orders');
  const warehouse = await stack.createWebhook(account, 'Warehouse', '/v1/delivery-reports');
  const stock = await stack.createWebhook(account, 'Stock alerts', '/stock');
  const chat = await stack.createWebhook(account, 'Customer chat', '/chat');
  await account.call('POST', '/developer/subscriptions', { event: 'sms:message:status', webhook_id: orders.id });
  for (let index = 0; index < orderCount; index++) await deliverOrder(stack, account, { index, orders, chat });
  await stack.deliver(account, stock, { kind: 'rcs-status', state: 'failed' });
  const sent = await stack.deliver(account, warehouse, {
    state: 'failed',
    payload: { mobile: '447700900123', custom: 'order-20417' },
  });
  await copyStatisticsToEarlierHours(stack);
  await replaceUrls(stack);
  return { account, failed: sent.deliveryId, messageId: sent.messageId, webhookId: warehouse.id };
}

type OrderOptions = { index: number; orders: Webhook; chat: Webhook };

async function deliverOrder(stack: Stack, account: Account, { index, orders, chat }: OrderOptions): Promise<void> {
  const mobile = numbers[index % numbers.length] ?? '';
  if (index % 4 === 3) await stack.deliver(account, chat, { kind: 'rcs-in' });
  else await stack.deliver(account, orders, { payload: { mobile, custom: `order-${20_300 + index}` } });
}

/**
 * Copies the statistics to earlier hours, so that the charts show a day. Failures are copied to the last 5 hours only.
 */
async function copyStatisticsToEarlierHours(stack: Stack): Promise<void> {
  await until(async () => {
    const { rows } = await stack.query(`SELECT 1 FROM statistic_entries LIMIT 1`);
    return rows.length === 0;
  }, 'all statistics are in their hours');
  await stack.query(`
    INSERT INTO statistics (subject_id, resolution, start, event, codes, counts)
    SELECT subject_id, resolution, start - hours * interval '1 hour', event, codes,
      ARRAY(
        SELECT CASE WHEN code IN (2, 3, 4) AND hours > 5 THEN 0
          ELSE greatest(1, round(count * (3 + 2 * sin(hours / 3.8)) + hours % 3)) END
        FROM unnest(codes, counts) WITH ORDINALITY AS counted (code, count, ordinal) ORDER BY ordinal)
    FROM statistics, generate_series(1, 47) AS hours
    WHERE resolution = 'hour' AND (delivered > 0 OR hours <= 5)`);
}

/** Replaces the receiver's URL by that of a shop. */
async function replaceUrls(stack: Stack): Promise<void> {
  for (const [table, column] of [
    ['webhooks', 'uri'],
    ['attempts', 'url'],
  ]) {
    await stack.query(`UPDATE ${table} SET ${column} = replace(${column}, $1, 'https://hooks.northwind.example')`, [
      stack.receiver.origin,
    ]);
  }
  await stack.query(`UPDATE attempts SET remote_address = '203.0.113.24'`);
}

await main();
