import { readFileSync } from 'node:fs';

/** Reads the version of Ringback from package.json, for `User-Agent: Ringback/<version>`. */
export function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  if (typeof manifest === 'object' && manifest && 'version' in manifest) return String(manifest.version);
  throw new Error('package.json has no version');
}
