import { expect, test } from '@jest/globals';
import type { Frame } from 'playwright-core';
import { until } from '@ringback/testing';
import { openTab } from '../browser.js';
import { fixture, openUrl, urlOf, waitUntilLoaded } from '../fixture.js';

/** Makes the receiver serve a platform's page with this content. Returns the path of the page. */
function serveHost(content: string): string {
  const body = `<!doctype html><html lang="en"><title>Host</title><h1>Host</h1>${content}</html>`;
  fixture().stack.answers.set('/host', { status: 200, body, headers: { 'Content-Type': 'text/html' } });
  return '/host';
}

/** Resolves with the frame's height, as soon as it is that of the screen with this heading. */
async function heightThatFits(frame: Frame, heading: string): Promise<number> {
  await frame.getByRole('heading', { level: 1, name: heading }).waitFor();
  return until(async () => {
    const [content, hidden] = await frame.evaluate(() => [
      document.getElementById('portal')!.offsetHeight,
      document.documentElement.scrollHeight - document.documentElement.clientHeight,
    ]);
    const height = await frame.page().evaluate(() => document.querySelector('ringback-portal')!.clientHeight);
    return content === height && hidden === 0 && height;
  }, `the frame has the height of ${heading}`);
}

/** The portal in the page of a platform. */
export function testFrames(): void {
  test('<ringback-portal> has the height of its page, and resumes with a new link in the same frame', async () => {
    const { stack, shop } = fixture();
    const [link, next] = [await stack.openLink(shop.account), await stack.openLink(shop.account)];
    const script = `<script src="${stack.origin}/portal/element.js"></script>`;
    const element = `<ringback-portal src="${urlOf(link, '/messages')}"></ringback-portal>`;
    const page = await openUrl(stack.receiver.origin + serveHost(script + element));
    // Its shadow root is closed.
    const frame = await until(() => page.frames()[1]);
    const lowHeight = await heightThatFits(frame, 'Messages');
    await frame.getByRole('link', { name: 'Deliveries' }).click();
    await frame.getByRole('rowheader').nth(24).waitFor();
    expect(await heightThatFits(frame, 'Deliveries')).toBeGreaterThan(lowHeight + 200);
    await frame.getByRole('link', { name: 'Messages' }).click();
    expect(await heightThatFits(frame, 'Messages')).toBe(lowHeight);
    await frame.getByLabel('Message id or number').fill('typed before the end');
    await page.evaluate((url) => {
      const portal = document.querySelector('ringback-portal')!;
      portal.addEventListener('session-ended', () => portal.setAttribute('src', url), { once: true });
    }, next.url);
    await stack.endLink(link);
    await frame.getByRole('link', { name: 'Replays' }).click();
    await frame.getByText('There are no replays.').waitFor();
    expect(page.frames()[1]).toBe(frame);
    expect(frame.url()).toBe(`${stack.origin}/portal/replays`);
  });

  test('<ringback-portal> asks its host page for a new link when its link has been used', async () => {
    const { stack, shop } = fixture();
    const [link, next] = [await stack.openLink(shop.account), await stack.openLink(shop.account)];
    await waitUntilLoaded(await openUrl(link.url), 'Overview');
    const script = `<script src="${stack.origin}/portal/element.js"></script>`;
    const page = await openUrl(stack.receiver.origin + serveHost(script));
    await page.evaluate(
      ([used, fresh]) => {
        const portal = document.createElement('ringback-portal');
        portal.addEventListener('session-ended', () => portal.setAttribute('src', fresh!), { once: true });
        portal.setAttribute('src', used!);
        document.body.append(portal);
      },
      [link.url, next.url],
    );
    const frame = await until(() => page.frames()[1]);
    await frame.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(frame.url()).toBe(`${stack.origin}/portal/`);
  });

  test('an allowed origin can show the portal in a frame, and another origin cannot', async () => {
    const { stack, shop, browser } = fixture();
    const { url } = await stack.openLink(shop.account);
    const path = serveHost(`<iframe src="${url}" title="Webhooks" width="900" height="700"></iframe>`);
    const allowed = await openUrl(stack.receiver.origin + path);
    await allowed.frameLocator('iframe').getByRole('heading', { name: 'Overview' }).waitFor();
    const { page, context, problems } = await openTab(browser);
    await page.goto(stack.receiver.origin.replace('127.0.0.1', 'localhost') + path);
    const refusal = await until(async () => (await problems()).find((text) => text.includes('frame-ancestors')));
    expect(refusal).toContain(stack.receiver.origin);
    expect(await page.frameLocator('iframe').getByRole('heading').count()).toBe(0);
    await context.close();
  });
}
