import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

type Rules = { runOnly?: string[] };

/** The rules whose result depends on the colour scheme. */
export const colourRules: Rules = { runOnly: ['color-contrast', 'link-in-text-block'] };

/** The violations that axe finds in the page, each with its rule and up to 3 elements. */
export async function violationsOf(page: Page, rules: Rules = {}): Promise<string[]> {
  await page.evaluate(`window.axe ?? (() => { ${axe.source} })()`);
  const violations = await page.evaluate(async (options) => {
    const { axe: loaded } = window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } };
    return (await loaded.run({ ...options, resultTypes: ['violations'] })).violations.map(({ id, help, nodes }) => ({
      rule: `${id}: ${help}`,
      nodes: nodes.map(({ html, failureSummary }) => `${html} ${failureSummary ?? ''}`),
    }));
  }, rules);
  return violations.map(({ rule, nodes }) => `${rule}\n${nodes.slice(0, 3).join('\n')}`);
}
