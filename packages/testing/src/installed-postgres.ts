import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Binaries, type EmbeddedOptions, type EmbeddedPostgres, startEmbeddedPostgres } from '@ringback/embedded';

export type InstalledPostgres = Binaries & { version: string };

// On Debian and Ubuntu the server's programs are not in PATH.
const debianFolder = '/usr/lib/postgresql';
const minMajor = 14;

/** Finds Debian's newest PostgreSQL server, else one in PATH. Undefined when there is none of version 14 or newer. */
export function findInstalledPostgres(): InstalledPostgres | undefined {
  const versions = existsSync(debianFolder)
    ? readdirSync(debianFolder)
        .map(Number)
        .sort((a, b) => b - a)
    : [];
  const folders = [
    ...versions.map((version) => join(debianFolder, String(version), 'bin')),
    ...(process.env.PATH ?? '').split(delimiter).filter(Boolean),
  ];
  for (const folder of folders) {
    const initdb = join(folder, 'initdb');
    const postgres = join(folder, 'postgres');
    if (!existsSync(initdb) || !existsSync(postgres)) continue;
    const version = /\(PostgreSQL\) (\d+\S*)/.exec(spawnSync(postgres, ['--version']).stdout?.toString())?.[1];
    const major = Number.parseInt(version ?? '');
    if (version && major >= minMajor) return { initdb, postgres, version, locale: localeFor(major) };
  }
  return undefined;
}

/**
 * The embedded PostgreSQL sorts by code point. Most servers sort by the rules of a language, as PostgreSQL does with
 * this locale from version 15.
 */
const localeFor = (major: number) => [
  '--locale=C.UTF-8',
  ...(major >= 15 ? ['--locale-provider=icu', '--icu-locale=en-US'] : []),
];

/**
 * Starts the machine's PostgreSQL, or the embedded one if the machine has none. `settings` override its defaults, such
 * as JIT, which is on in the machine's PostgreSQL.
 */
export function startTestPostgres(options: Omit<EmbeddedOptions, 'binaries'>): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ ...options, binaries: findInstalledPostgres() });
}

/** Describes the PostgreSQL that `startTestPostgres` starts. */
export function describeTestPostgres(): string {
  const installed = findInstalledPostgres();
  return installed ? `the machine's PostgreSQL ${installed.version}` : 'the embedded PostgreSQL';
}
