import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds wrong with the page as it is: the rule, and the elements. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(`window.axe ?? (() => { ${axe.source} })()`);
  const violations = await page.evaluate(async () => {
    const { axe: loaded } = window as unknown as { axe: { run: () => Promise<AxeResults> } };
    return (await loaded.run()).violations.map(({ id, help, nodes }) => ({
      rule: `${id}: ${help}`,
      nodes: nodes.map(({ html, failureSummary }) => `${html} ${failureSummary ?? ''}`),
    }));
  });
  return violations.map(({ rule, nodes }) => `${rule}\n${nodes.slice(0, 3).join('\n')}`);
}
