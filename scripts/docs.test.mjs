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
