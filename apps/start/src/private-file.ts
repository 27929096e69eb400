import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Writes JSON that only this user can read, whole or not at all. */
export function writePrivate(path: string, value: unknown): void {
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

/** The JSON in a file, or undefined when there is none that can be read. */
export function readPrivate(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
