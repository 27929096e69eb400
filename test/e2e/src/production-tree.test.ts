import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@ringback/testing';
import { ringback, root, run } from './processes.js';

type Locked = { dev?: boolean; optional?: boolean; link?: boolean; license?: string; resolved?: string };

// The packages that `npm ci --omit=dev` installs: npm reads the same fields of the lock file.
const lock: { packages: Record<string, Locked> } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const needed = Object.entries(lock.packages).filter(([at, { dev }]) => at.includes('node_modules/') && !dev);
const foreign = needed.filter(([, { link }]) => !link);
const nameOf = (location: string) => location.replace(/^.*node_modules\//, '');

describe('the production tree', () => {
  // Each is a dependency of a package that runs, and contains only types for it.
  const typesOnly = ['@types/node', '@types/pg'];
  const runningPackages = /^@prisma\/(adapter-pg|client|client-runtime-utils|debug|driver-adapter-utils)$/;

  test('contains of Prisma only the client, and no development tools', () => {
    const names = foreign.map(([location]) => nameOf(location));
    const toolsOf = (manifest: string) =>
      Object.keys(JSON.parse(readFileSync(join(root, manifest), 'utf8')).devDependencies);
    const tools = ['package.json', 'scripts/package.json'].flatMap(toolsOf).filter((name) => !typesOnly.includes(name));
    expect(names).toContain('@prisma/client');
    expect(tools).toEqual(expect.arrayContaining(['prisma', 'turbo', 'typescript']));
    expect(names.filter((name) => name.startsWith('@prisma/') && !runningPackages.test(name))).toEqual([]);
    expect(names.filter((name) => [...tools, 'elkjs', 'react', 'mysql2'].includes(name))).toEqual([]);
  });

  test('contains only licences that require nothing but attribution', () => {
    const allowed = new Set(
      [
        'MIT',
        'ISC',
        'BSD-2-Clause',
        'BSD-3-Clause',
        'Apache-2.0',
        '0BSD',
        'BlueOak-1.0.0',
        'CC0-1.0',
        'PostgreSQL',
      ].concat(['Unlicense', 'Python-2.0', 'CC-BY-3.0', 'CC-BY-4.0']),
    );
    const licenceOf = (location: string, locked: Locked): unknown => {
      const manifest = join(root, location, 'package.json');
      // A package for another platform is not installed; the lock file has its licence too.
      return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).license : locked.license;
    };
    const isAllowed = (licence: unknown) =>
      typeof licence === 'string' &&
      licence
        .replace(/^\((.*)\)$/, '$1')
        .split(/ (?:OR|AND) /)
        .every((name) => allowed.has(name));
    const others = foreign
      .map(([location, locked]) => `${nameOf(location)}: ${licenceOf(location, locked)}`)
      .filter((line) => !isAllowed(line.slice(line.indexOf(': ') + 2)));
    expect(others).toEqual([]);
  });

  describe('without its optional packages', () => {
    let home: string;
    let database: TestDatabase;

    beforeAll(async () => {
      database = await createTestDatabase();
      home = `${mkdtempSync(join(tmpdir(), 'ringback-production-'))}/`;
      cpSync(join(root, 'package.json'), join(home, 'package.json'));
      for (const [location, { optional }] of foreign) if (!optional) copyPackage(location, home);
      for (const [location, { link, resolved = '' }] of needed) if (link) linkWorkspace(location, resolved, home);
    });
    afterAll(async () => {
      rmSync(home, { recursive: true, force: true });
      await database.drop();
    });

    test('can run the command line, the API and the worker', async () => {
      const env = { DATABASE_URL: database.url, PORT: '0', HEALTH_PORT: '0', LOG_FORMAT: 'json' };
      expect(await ringback(['migrate'], { env, from: home })).toEqual([]);
      const [api, worker] = ['api', 'worker'].map((app) => run(`apps/${app}/dist/main.js`, { env, from: home }));
      const [started] = await api!.waitFor(/\{.*api\.started.*\}/);
      await worker!.waitFor(/worker\.started/);
      const response = await fetch(`http://127.0.0.1:${JSON.parse(started).port}/readyz`);
      expect(response.status).toBe(200);
      expect(await Promise.all([api!.stop(), worker!.stop()])).toEqual([0, 0]);
    });
  });
});

/** Copies a package without its nested packages, which the caller copies if they are needed. */
function copyPackage(location: string, home: string): void {
  const from = join(root, location);
  mkdirSync(join(home, location), { recursive: true });
  for (const entry of readdirSync(from)) {
    if (entry !== 'node_modules') cpSync(join(from, entry), join(home, location, entry), { recursive: true });
  }
}

function linkWorkspace(location: string, folder: string, home: string): void {
  for (const part of ['package.json', 'dist']) {
    const from = join(root, folder, part);
    if (existsSync(from)) cpSync(from, join(home, folder, part), { recursive: true });
  }
  mkdirSync(dirname(join(home, location)), { recursive: true });
  symlinkSync(join(home, folder), join(home, dirname(location), basename(location)));
  if (folder === 'packages/database') {
    cpSync(join(root, 'prisma/migrations'), join(home, 'prisma/migrations'), { recursive: true });
  }
}
