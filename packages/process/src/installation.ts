import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

type Manifest = { name?: string; version?: string; bin?: object; peerDependencies?: Record<string, string> };

/**
 * The root folder of Ringback's files: of the clone, of the Docker image or of the installed npm package, which have
 * the same tree. It is the nearest folder above this file with the package.json of `ringback`.
 */
export function findRoot(): URL {
  for (let folder = new URL('./', import.meta.url); ; folder = new URL('../', folder)) {
    if (readManifest(folder)?.name === 'ringback') return folder;
    if (folder.pathname === '/' || folder.href === new URL('../', folder).href) {
      throw new Error('the package.json of ringback is missing above the files of Ringback');
    }
  }
}

/** Reads the version of Ringback from its package.json. */
export function readVersion(): string {
  return String(readManifest(findRoot())?.version);
}

/**
 * The folder for the data of `ringback start`: `.data` in the current folder. npm runs the commands of a clone in the
 * root folder of the clone.
 */
export function findDataFolder(): URL {
  return pathToFileURL(join(resolve('.data'), '/'));
}

/** The secrets key that `npm start` generates: the prefix of its id, and the file in the data folder that has it. */
export const generatedKey = { idPrefix: 'dev-', file: 'secrets-key.json' };

/** Says where the key with this id is, if `npm start` has generated it; otherwise empty. */
export function whereKeyIs(keyId: string): string {
  if (!new RegExp(`^${generatedKey.idPrefix}[0-9a-f]{6}$`).test(keyId)) return '';
  return `\`${commandFor('start')}\` keeps it in its .data/${generatedKey.file}`;
}

export type Program = 'start' | 'ringback' | 'sandbox';

const inClone = {
  start: 'npm start',
  ringback: 'npm run --silent ringback --',
  sandbox: 'npm run --silent sandbox --',
};
const inPackage = { start: 'npx ringback start', ringback: 'npx ringback', sandbox: 'npx ringback sandbox' };

/**
 * The command with which a user runs a program: by npm's scripts in a clone, by npx when the npm package is installed.
 */
export function commandFor(program: Program): string {
  return isPackage() ? inPackage[program] : inClone[program];
}

/** The npm command that installs an optional package in the version that Ringback needs; in a clone, `npm ci`. */
export function installCommandFor(name: string): string {
  const version = readManifest(findRoot())?.peerDependencies?.[name];
  return version === undefined ? 'npm ci' : `npm install ${name}@${version}`;
}

/** Whether this is the npm package. Only its package.json names an executable. */
function isPackage(): boolean {
  return readManifest(findRoot())?.bin !== undefined;
}

function readManifest(folder: URL): Manifest | undefined {
  const file = new URL('package.json', folder);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}
