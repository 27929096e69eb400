import { describe, expect, test } from '@jest/globals';
import fs from 'fs';
import { join } from 'path';
import { root } from './prepare.mjs';

const documents = ['README.md', 'CONTRIBUTING.md', 'docs', 'examples']
  .flatMap((name) =>
    name.endsWith('.md')
      ? [name]
      : fs.readdirSync(join(root, name), { recursive: true }).map((file) => join(name, file)),
  )
  .filter((name) => name.endsWith('.md'));

/** What a document names in backticks as a path of the repository. */
function pathsIn(text) {
  const named = [...text.matchAll(/`((?:apps|packages|prisma|scripts|test|docs|deploy|examples)\/[\w./@-]+)`/g)].map(
    (match) => match[1],
  );
  return [...new Set(named)];
}

describe.each(documents)('%s', (name) => {
  const text = fs.readFileSync(join(root, name), 'utf8');

  test('names only files and folders that exist', () => {
    const isThere = (path) => /\/dist(\/|$)/.test(path) || fs.existsSync(join(root, path));
    expect(pathsIn(text).filter((path) => !isThere(path))).toEqual([]);
  });

  test('links only to documents that exist', () => {
    const links = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map((match) => match[1]);
    expect(links.filter((link) => !fs.existsSync(join(root, name, '..', link)))).toEqual([]);
  });
});

describe('docs/reliability.md', () => {
  const text = fs.readFileSync(join(root, 'docs/reliability.md'), 'utf8');

  test('names only tests that exist, by words of their names', () => {
    const named = [...text.matchAll(/`([\w./-]+\.test\.ts)` "([^"]+)"/g)].map(([, file, name]) => ({ file, name }));
    const isThere = ({ file, name }) => fs.readFileSync(join(root, file), 'utf8').includes(name);
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((one) => !isThere(one))).toEqual([]);
  });

  test('names only fault stories that exist', () => {
    const folder = join(root, 'test/faults/src/stories');
    const sources = fs.readdirSync(folder).map((file) => fs.readFileSync(join(folder, file), 'utf8'));
    const table = text.slice(text.indexOf('| Story'));
    const named = [...table.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell]) => [...cell.matchAll(/`([\w-]+)`/g)]);
    const names = named.map(([, name]) => name);
    expect(names.length).toBeGreaterThan(30);
    expect(names.filter((name) => !sources.some((source) => source.includes(`'${name}'`)))).toEqual([]);
  });
});
