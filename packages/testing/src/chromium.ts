import { existsSync } from 'node:fs';

/** The browser of the portal's tests: that of the variable CHROMIUM, else Debian's. Undefined when it is missing. */
export function findChromium(): string | undefined {
  const path = process.env.CHROMIUM || '/usr/bin/chromium';
  return existsSync(path) ? path : undefined;
}
