import { type Browser, type BrowserContext, chromium, type ConsoleMessage, type Page } from 'playwright-core';

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const startBrowser = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, headless: true, args: flags });

export type TabOptions = { colorScheme?: 'light' | 'dark'; width?: number; height?: number };

export type Tab = {
  page: Page;
  context: BrowserContext;
  /**
   * Errors, warnings of the console, violations of the Content-Security-Policy, and stored data, of all pages so far.
   */
  problems: () => Promise<string[]>;
};

/** Opens an empty tab without stored data. */
export async function openTab(
  browser: Browser,
  { colorScheme = 'light', width = 1280, height = 900 }: TabOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  context.setDefaultTimeout(120_000);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const reported: string[] = [];
  await context.exposeFunction('reportViolation', (text: string) => reported.push(`policy: ${text}`));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      (window as unknown as { reportViolation: (text: string) => void }).reportViolation(
        `${violatedDirective} ${blockedURI}`,
      );
    });
  });
  context.on('weberror', (error) => reported.push(`error: ${error.error().stack ?? error.error().message}`));
  context.on('console', (message) => {
    if (isProblem(message)) reported.push(`console: ${message.text()}`);
  });
  const page = await context.newPage();
  return { page, context, problems: async () => [...reported, ...(await storedBy(context))] };
}

// Browsers report each response with an error status. The tests check what the page shows of it.
const isProblem = (message: ConsoleMessage) =>
  ['error', 'warning'].includes(message.type()) && !/^Failed to load resource: /.test(message.text());

/** The cookies and stored data of all pages. There should be none. */
async function storedBy(context: BrowserContext): Promise<string[]> {
  const cookies = (await context.cookies()).map(({ name }) => `cookie: ${name}`);
  const stored = context.pages().map((page) =>
    page.evaluate(async () => {
      if (location.protocol === 'about:') return [];
      const databases = (await indexedDB.databases()).map(({ name }) => `database: ${name}`);
      const keys = [localStorage, sessionStorage].flatMap((storage) => Object.keys(storage));
      return [...keys.map((key) => `stored: ${key}`), ...databases];
    }),
  );
  return [...cookies, ...(await Promise.all(stored)).flat()];
}
