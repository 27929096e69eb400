import { expect, test } from '@jest/globals';
import { until } from '@ringback/testing';
import { colourRules, expectToFit, switchToDark, violationsOf } from '../appearance.js';
import { openTab } from '../browser.js';
import { fixture, openScreen, waitUntilLoaded } from '../fixture.js';

/** The path of each screen, with a text that it shows. */
const screens = (): Record<string, { path: string; text: string }> => {
  const { orders, warehouse, failed } = fixture().shop;
  const webhook = `/webhooks/${orders.id}`;
  return {
    Overview: { path: '/', text: 'Warehouse' },
    Webhooks: { path: '/webhooks', text: '/old/delivery-reports' },
    'New webhook': { path: '/webhooks/new', text: 'The callback that this webhook would send.' },
    'Edit webhook': { path: `${webhook}/edit`, text: 'SMS delivery report, every identity' },
    Webhook: { path: `/webhooks/${warehouse.id}`, text: 'Responses by status' },
    'Test call': { path: `${webhook}?tab=test`, text: 'Empty sends an example.' },
    Settings: { path: `${webhook}?tab=settings`, text: 'there is nothing to verify' },
    Changes: { path: `${webhook}?tab=changes`, text: 'Access token' },
    Deliveries: { path: '/deliveries', text: 'Order updates' },
    Delivery: { path: `/deliveries/${failed.deliveryId}`, text: 'There is no route POST' },
    Message: { path: `/messages?id=${encodeURIComponent(failed.messageId)}`, text: 'UNDELIV' },
    Messages: { path: '/messages?mobile=447700900123', text: failed.messageId },
    Replays: { path: '/replays?new=1', text: 'There are no replays.' },
    Developer: { path: '/developer', text: '/api/v2' },
    Signatures: { path: '/developer?tab=signatures', text: `WEBHOOK_ID=` },
    Events: { path: '/developer?tab=events', text: 'An RCS message was received.' },
  };
};
const screenNames = [
  ...['Overview', 'Webhooks', 'New webhook', 'Edit webhook', 'Webhook', 'Test call', 'Settings', 'Changes'],
  ...['Deliveries', 'Delivery', 'Message', 'Messages', 'Replays', 'Developer', 'Signatures', 'Events'],
];

/** The appearance of each screen in both colour schemes and on a phone. */
export function testScreens(): void {
  test.each(screenNames)(
    'the screen %s has no violation of WCAG in light and dark colours, and fits a phone',
    async (name) => {
      const { path, text } = screens()[name]!;
      const page = await openScreen(path);
      await waitUntilLoaded(page, /./);
      await page.locator('main').getByText(text).filter({ visible: true }).first().waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await switchToDark(page);
      expect(await violationsOf(page, colourRules)).toEqual([]);
      await expectToFit(page);
    },
  );

  test('axe reports a button without a name', async () => {
    const page = await openScreen('/messages');
    await waitUntilLoaded(page, 'Messages');
    await page.evaluate(() => document.querySelector('main')!.append(document.createElement('button')));
    expect(await violationsOf(page)).toEqual([expect.stringMatching(/^button-name: /)]);
  });

  test('an error, a violation of the Content-Security-Policy and a stored value are reported', async () => {
    const { stack, browser } = fixture();
    const { page, context, problems } = await openTab(browser);
    await page.goto(`${stack.origin}/portal/`);
    await page.evaluate(() => {
      localStorage.setItem('token', 'x');
      const script = document.createElement('script');
      script.textContent = 'window.ran = true';
      document.body.append(script);
      setTimeout(() => {
        throw new Error('broken');
      });
    });
    const expected = [/^policy: script-src-elem inline/, /^error: .*broken/, /^stored: token/];
    const reported = await until(async () => {
      const texts = await problems();
      return expected.every((pattern) => texts.some((text) => pattern.test(text))) && texts;
    }, 'all three are reported');
    expect(reported.length).toBeGreaterThanOrEqual(expected.length);
    expect(await page.evaluate(() => 'ran' in window)).toBe(false);
    await context.close();
  });
}
