import { expect, test } from '@jest/globals';
import { expectToFit } from '../appearance.js';
import { fixture, goTo, openScreen, waitUntilLoaded } from '../fixture.js';

const markup = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
const reversed = '\u202egpj.exe\u2066 \u0000\u0007\u001b[31m';
const isHacked = () => 'hacked' in window;

/** Content from receivers and customers is shown as text. */
export function testHostileContent(): void {
  test('markup in the name of a webhook and in the response of its receiver is shown as text', async () => {
    const { stack } = fixture();
    const account = await stack.createAccount(`Evil ${markup}`);
    const name = `${markup} ‮evil`;
    stack.answers.set('/hostile', {
      status: 500,
      body: `${markup}${reversed}`,
      headers: { 'X-Evil': markup, Location: 'javascript:alert(1)' },
    });
    const webhook = await stack.createWebhook(account, name, '/hostile');
    const { deliveryId, messageId } = await stack.deliver(account, webhook, {
      state: 'failed',
      payload: { id: `<b>${markup}</b>`, status: markup, mobile: '447700900123', custom: reversed },
    });
    const page = await openScreen(`/deliveries/${deliveryId}`, { account });
    await waitUntilLoaded(page, 'Delivery');
    const body = await page.getByRole('region', { name: 'Response body' }).innerText();
    expect(body).toContain(markup);
    expect(body).toContain(String.raw`\u202egpj.exe\u2066`);
    expect(body).toContain(String.raw`\u0007\u001b[31m`);
    expect(await page.getByRole('region', { name: 'Response headers' }).innerText()).toContain(markup);
    const paths = ['/', '/webhooks', `/webhooks/${webhook.id}`, `/messages?id=${encodeURIComponent(messageId)}`];
    for (const path of [...paths, '/deliveries', `/webhooks/${webhook.id}?tab=changes`, '/replays?new=1']) {
      await goTo(page, path);
      await page.getByText('<script>window.hacked=1</script>').first().waitFor({ state: 'attached' });
      await waitUntilLoaded(page, /./);
      expect([path, await page.evaluate(isHacked), await page.locator('main img').count()]).toEqual([path, false, 0]);
      expect([path, (await page.locator('main').innerText()).includes('\u202e')]).toEqual([path, false]);
    }
  });

  test('a test call shows a response with a line of 1 MB, and a response with invalid UTF-8', async () => {
    const { stack, shop } = fixture();
    stack.answers.set('/long', { status: 200, body: `${markup}${'x'.repeat(1_000_000)}` });
    const webhook = await stack.createWebhook(shop.account, 'w'.repeat(255), '/long');
    const page = await openScreen(`/webhooks/${webhook.id}?tab=test`);
    await page.getByRole('button', { name: 'Send test call' }).click();
    await page.locator('.test-result').getByText(markup).waitFor();
    expect(await page.evaluate(isHacked)).toBe(false);
    stack.answers.set('/long', 'nul');
    await page.getByRole('button', { name: 'Send test call' }).click();
    // Three bytes of half a character, and NUL, which PostgreSQL cannot store.
    await page.getByRole('region', { name: 'Response body' }).getByText('a\ufffdb\ufffd').waitFor();
    await expectToFit(page);
  });

  test('an event with a line of 1 MB is shown in parts', async () => {
    const { stack, shop } = fixture();
    const custom = 'y'.repeat(1_000_000);
    const { deliveryId } = await stack.deliver(shop.account, shop.orders, { payload: { custom } });
    const page = await openScreen(`/deliveries/${deliveryId}`);
    const payload = page.getByRole('region', { name: 'Payload of the event' });
    await payload.waitFor();
    expect((await payload.innerText()).length).toBeLessThan(50_000);
    await page
      .getByRole('button', { name: /^Show more/ })
      .last()
      .click();
    await expectToFit(page);
  });
}
