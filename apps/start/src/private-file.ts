import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Writes a JSON file atomically. Only this user can read it. */
export function writePrivate(path: string, value: unknown): void {
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

/** Reads a JSON file. Undefined when it cannot be read or parsed. */
export function readPrivate(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
