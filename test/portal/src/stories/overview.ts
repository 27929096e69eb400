import { expect, test } from '@jest/globals';
import { until } from '@ringback/testing';
import { fixture, openScreen, reopen, waitUntilLoaded } from '../fixture.js';

/** The key figures of an account, and the way to a failure. */
export function testOverview(): void {
  test('the overview shows key figures and failing webhooks, and a link leads to a failure', async () => {
    const { stack } = fixture();
    const account = await stack.createAccount('Overview Ltd');
    stack.answers.set('/overview-fails', { status: 503 });
    const good = await stack.createWebhook(account, 'Good one', '/overview-works');
    const bad = await stack.createWebhook(account, 'Bad one', '/overview-fails');
    await stack.deliver(account, good);
    await stack.deliver(account, bad, { state: 'failed' });
    const page = await openScreen('/', { account });
    await waitUntilLoaded(page, 'Overview');
    const numbers = page.getByRole('region', { name: 'Key figures' });
    await until(
      async () => {
        await reopen(page, account);
        await waitUntilLoaded(page, 'Overview');
        return (await numbers.getByRole('definition').first().innerText()) === '3';
      },
      'the statistics have the 3 attempts',
      100_000,
      500,
    );
    expect((await numbers.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /Attempts 3 .*Succeeded 33.3 %.*Failed for good 1 /,
    );
    const failing = page.getByRole('table', { name: 'Webhooks with failures' });
    expect(await failing.getByRole('rowheader').allInnerTexts()).toEqual(['Bad one']);
    const chart = page.getByRole('slider', { name: 'Attempts by outcome' });
    await chart.press('End');
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/: Delivered \d+, .*Failed for good \d+$/);
    await page.getByText('View as a table').click();
    const table = page.getByRole('table', { name: 'Attempts by outcome' });
    await table.getByRole('columnheader', { name: 'Start' }).waitFor();
    await page.getByText('7 days', { exact: true }).click();
    await page.waitForURL(/range=7d/);
    await page.getByRole('link', { name: 'Status 503' }).click();
    await page.getByRole('heading', { name: 'Why: Status 503' }).waitFor();
  });
}
