// Decides whether `apps` and `packages` must be built again. This takes less time than turbo, which needs a second to
// decide. Like prepare.mjs, this file must run on old versions of Node.
import { createHash } from 'crypto';
import fs from 'fs';
import { join } from 'path';

const inputs = [
  'package.json',
  'tsconfig.base.json',
  'turbo.json',
  'prisma/schema.prisma',
  'scripts/prisma-generate.mjs',
  'scripts/client-types.mjs',
  'examples/verify',
];
const groups = ['packages', 'apps'];
const stampOf = (root) => join(root, '.turbo/built.json');

/**
 * A hash of the names, sizes and modification times of the sources of `apps` and `packages`. File contents are not
 * read.
 */
export function fingerprint(root) {
  const hash = createHash('sha1');
  const add = (path) => {
    const stats = statOf(join(root, path));
    if (stats && stats.isDirectory()) list(join(root, path)).forEach((name) => add(`${path}/${name}`));
    else hash.update(stats ? `${path} ${stats.size} ${stats.mtimeMs}\n` : `${path} absent\n`);
  };
  inputs.forEach(add);
  listWorkspaces(root).forEach((workspace) =>
    ['package.json', 'tsconfig.json', 'vite.config.mjs', 'src'].forEach((part) => add(`${workspace}/${part}`)),
  );
  return hash.digest('hex');
}

/**
 * Records a build of the sources with this fingerprint. Compute the fingerprint before the build, so that edits during
 * the build are noticed.
 */
export function recordBuild(root, sources) {
  const built = listWorkspaces(root).filter((workspace) => statOf(join(root, workspace, 'dist')));
  fs.writeFileSync(stampOf(root), JSON.stringify({ sources, built }));
}

/** Whether the last recorded build was made from the current sources, and all its `dist` folders still exist. */
export function isBuilt(root) {
  try {
    const stamp = JSON.parse(fs.readFileSync(stampOf(root), 'utf8'));
    return (
      stamp.sources === fingerprint(root) && stamp.built.every((workspace) => statOf(join(root, workspace, 'dist')))
    );
  } catch (error) {
    return false;
  }
}

function listWorkspaces(root) {
  return [].concat(...groups.map((group) => list(join(root, group)).map((name) => `${group}/${name}`)));
}

/** Lists a folder without `generated`, which the build creates. */
function list(folder) {
  return fs
    .readdirSync(folder)
    .filter((name) => name !== 'generated')
    .sort();
}

function statOf(path) {
  try {
    return fs.statSync(path);
  } catch (error) {
    return undefined;
  }
}
