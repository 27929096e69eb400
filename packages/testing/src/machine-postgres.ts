import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Binaries, type EmbeddedOptions, type EmbeddedPostgres, startEmbeddedPostgres } from '@ringback/embedded';

export type MachinePostgres = Binaries & { version: string };

// Debian and Ubuntu keep the server's programs out of PATH.
const debianFolder = '/usr/lib/postgresql';
const oldestMajor = 14;

/** The newest PostgreSQL server that is installed on this machine; undefined when there is none that Ringback runs on. */
export function findMachinePostgres(): MachinePostgres | undefined {
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
    const [initdb, postgres] = [join(folder, 'initdb'), join(folder, 'postgres')];
    if (!existsSync(initdb) || !existsSync(postgres)) continue;
    const version = /\(PostgreSQL\) (\d+\S*)/.exec(spawnSync(postgres, ['--version']).stdout?.toString())?.[1];
    const major = Number.parseInt(version ?? '');
    if (version && major >= oldestMajor) return { initdb, postgres, version, locale: localeFor(major) };
  }
  return undefined;
}

/** Not the order of C, which the embedded PostgreSQL has: most servers sort by a language. */
const localeFor = (major: number) => [
  '--locale=C.UTF-8',
  ...(major >= 15 ? ['--locale-provider=icu', '--icu-locale=en-US'] : []),
];

/** Starts the machine's own PostgreSQL, as its users have it, JIT included; the embedded one where there is none. */
export function startTestPostgres(options: Omit<EmbeddedOptions, 'binaries'>): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ ...options, binaries: findMachinePostgres() });
}

/** Which PostgreSQL `startTestPostgres` starts, for people. */
export function describeTestPostgres(): string {
  const own = findMachinePostgres();
  return own ? `the machine's PostgreSQL ${own.version}` : 'the embedded PostgreSQL';
}
