import { describe, expect, test } from '@jest/globals';
import { createHmac } from 'crypto';
import fs from 'fs';
import { dirname, join, normalize } from 'path';
import { root } from './prepare.mjs';

const documents = ['README.md', 'CONTRIBUTING.md', 'docs', 'examples', 'deploy']
  .flatMap((name) =>
    name.endsWith('.md')
      ? [name]
      : fs.readdirSync(join(root, name), { recursive: true }).map((file) => join(name, file)),
  )
  .filter((name) => name.endsWith('.md'));

const read = (name) => fs.readFileSync(join(root, name), 'utf8');
const withoutCode = (text) =>
  text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ''));

/** The paths of the repository that a document names in backticks. */
function pathsIn(text) {
  const named = [...text.matchAll(/`((?:apps|packages|prisma|scripts|test|docs|deploy|examples)\/[\w./@-]+)`/g)].map(
    (match) => match[1],
  );
  return [...new Set(named)];
}

/** The relative links of a document: the file that each names, and the anchor if there is one. */
function linksIn(name) {
  return [...withoutCode(read(name)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1])
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [path, anchor] = link.split('#');
      return { link, file: path === '' ? name : normalize(join(dirname(name), path)), anchor };
    });
}

/** The anchors of a document: its own, and those that GitHub makes for its headings. */
function anchorsOf(name) {
  const seen = new Map();
  const text = read(name).replace(/^```[\s\S]*?^```/gm, '');
  const own = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id);
  const headings = [...text.matchAll(/^#{1,6} +(.+)$/gm)].map(([, title]) => {
    const slug = title
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
  return [...own, ...headings];
}

function isBroken({ file, anchor }) {
  if (!fs.existsSync(join(root, file))) return true;
  return anchor !== undefined && !anchorsOf(file).includes(anchor);
}

describe.each(documents)('%s', (name) => {
  test('names only files and folders that exist', () => {
    const exists = (path) => /\/dist(\/|$)/.test(path) || fs.existsSync(join(root, path));
    expect(pathsIn(read(name)).filter((path) => !exists(path))).toEqual([]);
  });

  // Git's marks of a conflict, also as prettier formats them: the last one becomes a quotation.
  test('has no unresolved conflict', () => {
    expect(read(name)).not.toMatch(/^(<{7}|>{7}|(> ){6}>) /m);
  });
});

test('docs/architecture.md names only files and folders that exist, also without their paths', () => {
  const paths = ['apps', 'packages', 'test', 'prisma', 'scripts', 'docs'].flatMap((home) =>
    listPaths(home).map((path) => `/${path}`),
  );
  const named = [...read('docs/architecture.md').matchAll(/`([\w./-]+(?:\.ts|\/))`/g)].map(([, name]) => name);
  const exists = (name) => paths.some((path) => path.endsWith(`/${name}`));
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((name) => !exists(name))).toEqual([]);
});

/** All files under a folder, and its folders with a slash at the end. */
function listPaths(folder) {
  const entries = fs.readdirSync(join(root, folder), { withFileTypes: true });
  return entries
    .filter(({ name }) => !/^(node_modules|dist(-test)?|generated)$/.test(name))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? [`${path}/`, ...listPaths(path)] : [path];
    });
}

// The changelog may name files that are gone, but its links have to work.
test.each([...documents, 'CHANGELOG.md'])('%s links only to files and headings that exist', (name) => {
  const broken = linksIn(name).filter(isBroken);
  expect(broken.map(({ link }) => link)).toEqual([]);
});

describe('the README', () => {
  /** The first code block of this language with these words. */
  const blockOf = (language, words = '') =>
    [...read('README.md').matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))]
      .map(([, code]) => code)
      .find((code) => code.includes(words));
  const webhookId = '180ebbb5-9b6f-4c51-a98a-0123456789ab';

  test('shows a callback whose signature is right', () => {
    const [head, body] = blockOf('http').trim().split('\n\n');
    const signature = createHmac('sha256', webhookId).update(body).digest('hex');
    expect(head).toContain(`\nSignature: ${signature}\n`);
  });

  test('has code that accepts a genuine callback and refuses a forged one', async () => {
    const { isGenuine } = await import(`data:text/javascript,${encodeURIComponent(blockOf('js', 'isGenuine'))}`);
    const [head, body] = blockOf('http').trim().split('\n\n');
    const [, signature] = /^Signature: (.*)$/m.exec(head);
    const expected = { webhookId, bearer: 'the-secret' };
    const headers = { authorization: 'Bearer the-secret', signature };
    expect(isGenuine(Buffer.from(body), headers, expected)).toBe(true);
    expect(isGenuine(Buffer.from(`${body} `), headers, expected)).toBe(false);
    expect(isGenuine(Buffer.from(body), { ...headers, authorization: 'Bearer other' }, expected)).toBe(false);
    expect(isGenuine(Buffer.from(body), {}, expected)).toBe(false);
  });
});

describe('docs/operate/reliability.md', () => {
  // A name may be broken over two lines.
  const text = read('docs/operate/reliability.md').replace(/\s+/g, ' ');

  test('names only tests that exist, by words of their names', () => {
    const named = [...text.matchAll(/`([\w./-]+\.test\.ts)` "([^"]+)"/g)].map(([, file, name]) => ({ file, name }));
    const isThere = ({ file, name }) => fs.readFileSync(join(root, file), 'utf8').includes(name);
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((one) => !isThere(one))).toEqual([]);
  });

  test('names only fault scenarios that exist', () => {
    const folder = join(root, 'test/faults/src/scenarios');
    const sources = fs.readdirSync(folder).map((file) => fs.readFileSync(join(folder, file), 'utf8'));
    const list = text.slice(text.indexOf('## Fault scenarios'));
    const named = [...list.matchAll(/`([a-z]+(?:-[a-z0-9]+)*)`/g)];
    const names = named.map(([, name]) => name);
    expect(names.length).toBeGreaterThan(30);
    expect(names.filter((name) => !sources.some((source) => source.includes(`'${name}'`)))).toEqual([]);
  });
});
