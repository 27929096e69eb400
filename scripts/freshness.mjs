// Tells whether a clone has to be built again, for commands that cannot spend turbo's second on that question.
// Like prepare.mjs, it holds nothing that an old Node cannot read.
import { createHash } from 'crypto';
import fs from 'fs';
import { join } from 'path';

const inputs = [
  'package.json',
  'tsconfig.base.json',
  'turbo.json',
  'prisma/schema.prisma',
  'scripts/prisma-generate.mjs',
];
const groups = ['packages', 'apps'];
const stampOf = (root) => join(root, '.turbo/built.json');

/** What the apps are built from, as one short text: names, sizes and times of the sources. Reads no contents. */
export function fingerprint(root) {
  const hash = createHash('sha1');
  const add = (path) => {
    const stats = statOf(join(root, path));
    if (stats && stats.isDirectory()) list(join(root, path)).forEach((name) => add(`${path}/${name}`));
    else hash.update(stats ? `${path} ${stats.size} ${stats.mtimeMs}\n` : `${path} absent\n`);
  };
  inputs.forEach(add);
  homes(root).forEach((home) => ['package.json', 'tsconfig.json', 'src'].forEach((part) => add(`${home}/${part}`)));
  return hash.digest('hex');
}

/** Notes that what this fingerprint stands for has been built; taken before the build, lest a later edit be missed. */
export function noteBuilt(root, print) {
  const built = homes(root).filter((home) => statOf(join(root, home, 'dist')));
  fs.writeFileSync(stampOf(root), JSON.stringify({ print, built }));
}

/** Whether the last build that was noted was of the sources as they are, and is still there. */
export function isBuilt(root) {
  try {
    const stamp = JSON.parse(fs.readFileSync(stampOf(root), 'utf8'));
    return stamp.print === fingerprint(root) && stamp.built.every((home) => statOf(join(root, home, 'dist')));
  } catch (error) {
    return false;
  }
}

function homes(root) {
  return [].concat(...groups.map((group) => list(join(root, group)).map((name) => `${group}/${name}`)));
}

/** `generated` is made by the build. */
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
