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

export type Look = { colorScheme?: 'light' | 'dark'; width?: number; height?: number };

/** A page with what went wrong in it: errors, violations of the Content-Security-Policy, and what is in a storage. */
export type Tab = { page: Page; context: BrowserContext; problems: () => Promise<string[]> };

/** Opens an empty tab without anything stored. */
export async function openTab(
  browser: Browser,
  { colorScheme = 'light', width = 1280, height = 900 }: Look = {},
): Promise<Tab> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  context.setDefaultTimeout(20_000);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const found: string[] = [];
  await context.exposeFunction('reportViolation', (text: string) => found.push(`policy: ${text}`));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      (window as unknown as { reportViolation: (text: string) => void }).reportViolation(
        `${violatedDirective} ${blockedURI}`,
      );
    });
  });
  context.on('weberror', (error) => found.push(`error: ${error.error().stack ?? error.error().message}`));
  context.on('console', (message) => {
    if (isProblem(message)) found.push(`console: ${message.text()}`);
  });
  const page = await context.newPage();
  return { page, context, problems: async () => [...found, ...(await storedBy(context))] };
}

// Browsers report each answer with an error status; the tests look at what the page makes of it.
const isProblem = (message: ConsoleMessage) =>
  ['error', 'warning'].includes(message.type()) && !/^Failed to load resource: /.test(message.text());

/** What pages left in cookies and storages. Nothing may be there. */
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
