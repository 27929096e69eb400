import { afterEach, beforeEach, expect, test } from '@jest/globals';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fingerprint, isBuilt, recordBuild } from './freshness.mjs';

let root;
const write = (path, text = '') => {
  fs.mkdirSync(dirname(join(root, path)), { recursive: true });
  fs.writeFileSync(join(root, path), text);
};
const remove = (path) => fs.rmSync(join(root, path), { recursive: true });

beforeEach(() => {
  root = fs.mkdtempSync(join(tmpdir(), 'ringback-fresh-'));
  for (const home of ['apps/api', 'packages/queue']) {
    for (const file of ['package.json', 'tsconfig.json', 'src/main.ts', 'src/deep/one.ts', 'dist/main.js'])
      write(`${home}/${file}`);
  }
  for (const file of ['package.json', 'turbo.json', 'prisma/schema.prisma', '.turbo/x']) write(file);
});

afterEach(() => fs.rmSync(root, { recursive: true }));

test('a clone without a build is not built', () => {
  expect(isBuilt(root)).toBe(false);
});

test.each([
  ['nothing', () => undefined, true],
  ['a compiled file', () => write('apps/api/dist/more.js'), true],
  ['a generated source', () => write('packages/queue/src/generated/client.ts'), true],
  ['a source was edited', () => write('packages/queue/src/deep/one.ts', 'x'), false],
  ['a source was touched', () => fs.utimesSync(join(root, 'apps/api/src/main.ts'), 1, 1), false],
  ['a source was added', () => write('apps/api/src/two.ts'), false],
  ['a source was removed', () => remove('apps/api/src/deep/one.ts'), false],
  ['a workspace was added', () => write('packages/more/src/index.ts'), false],
  ['a verifier that the portal shows was edited', () => write('examples/verify/go/verify.go', 'x'), false],
  ['the schema was edited', () => write('prisma/schema.prisma', 'x'), false],
  ['tsconfig.base.json was added', () => write('tsconfig.base.json'), false],
  ['compiled files were removed', () => remove('packages/queue/dist'), false],
  ['the record of the build is damaged', () => write('.turbo/built.json', '{'), false],
])('after the build: %s', (_change, change, expected) => {
  recordBuild(root, fingerprint(root));
  change();
  expect(isBuilt(root)).toBe(expected);
});

test('an edit during the build is noticed', () => {
  const before = fingerprint(root);
  write('apps/api/src/main.ts', 'edited');
  recordBuild(root, before);
  expect(isBuilt(root)).toBe(false);
});
