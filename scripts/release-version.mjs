// The version of a release: the files that carry it, and its section in CHANGELOG.md. The OpenAPI document, User-Agent,
// metrics and the npm package `ringback` read the version from package.json.
import fs from 'fs';
import { join } from 'path';

const versionPattern = String.raw`\d+\.\d+\.\d+(?:-[\w.]+)?`;
/** Files without JSON in which the version follows a text, and patterns for both; $1 is that text. */
const textFiles = [
  ['deploy/helm/ringback/Chart.yaml', `^((?:appV|v)ersion: )${versionPattern}`],
  ['deploy/helm/ringback/README.md', `(registry\\.example\\.com/ringback:)${versionPattern}`],
  ['docs/guide/start.md', String.raw`(dist/release/ringback-(?:client-)?)${versionPattern}(?=\.tgz)`],
  ['Dockerfile', String.raw`(org\.opencontainers\.image\.version=)${versionPattern}`],
];
const dependencyKinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];

/** The files that carry the version, each with its text for this version. */
export function withVersion(root, next) {
  const read = (file) => fs.readFileSync(join(root, file), 'utf8');
  const lock = JSON.parse(read('package-lock.json'));
  const own = Object.keys(lock.packages).filter((location) => !/(^|\/)node_modules\//.test(location));
  const names = new Set(own.map((location) => lock.packages[location].name));
  const setVersion = (manifest) => {
    manifest.version = next;
    for (const kind of dependencyKinds)
      for (const name of Object.keys(manifest[kind] || {})) if (names.has(name)) manifest[kind][name] = next;
    return manifest;
  };
  own.forEach((location) => setVersion(lock.packages[location]));
  const manifests = own.map((location) => join(location, 'package.json'));
  return new Map([
    ...manifests.map((file) => [file, toJson(setVersion(JSON.parse(read(file))))]),
    ['package-lock.json', toJson({ ...lock, version: next })],
    ...textFiles.map(([file, pattern]) => [file, replace(file, read(file), pattern, next)]),
  ]);
}

function replace(file, text, pattern, next) {
  if (!new RegExp(pattern, 'm').test(text)) throw new Error(`${file} has no version`);
  return text.replace(new RegExp(pattern, 'gm'), `$1${next}`);
}

const toJson = (value) => `${JSON.stringify(value, null, 2)}\n`;

/** Returns the changelog with its Unreleased section renamed to the version, below a new and empty one. */
export function closeChangelog(changelog, next, date) {
  if (!sectionOf(changelog, 'Unreleased')) throw new Error('CHANGELOG.md has nothing under [Unreleased]');
  return changelog.replace(/^## \[Unreleased\]$/m, `## [Unreleased]\n\n## [${next}] - ${date}`);
}

/** The section of a version in the changelog, without its heading; empty if there is none. */
export function sectionOf(changelog, name) {
  const [, ...parts] = `\n${changelog}`.split(/\n(?=## )/);
  const section = parts.find((part) => part.startsWith(`## [${name}]`));
  return section ? section.replace(/^.*\n?/, '').trim() : '';
}

/** The features, fixes and breaking changes of conventional commits (`<hash> <subject>` in each line), as Markdown. */
export function formatCommits(log) {
  const commits = log.split('\n').map((line) => /^(\S+) ((\w+)(?:\([^)]*\))?(!?): .*)$/.exec(line));
  const listed = (wanted) =>
    commits.filter((commit) => commit && wanted(commit)).map(([, hash, subject]) => `- ${subject} (${hash})`);
  const parts = [
    ['Breaking', listed(([, , , , breaking]) => breaking === '!')],
    ['Features', listed(([, , , type, breaking]) => type === 'feat' && !breaking)],
    ['Fixes', listed(([, , , type, breaking]) => /^(fix|perf)$/.test(type) && !breaking)],
  ];
  return parts
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `### ${title}\n\n${lines.join('\n')}\n`)
    .join('\n');
}
