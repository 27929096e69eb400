// `npm run release -- <version> [--dry-run]`: sets the version, closes the changelog's section and builds everything into
// dist/release. It publishes nothing and prints the commands that do. On the tagged commit it changes no file and builds
// the same bytes again. With --dry-run it puts back the files that it changed.
import { spawnSync } from 'child_process';
import fs from 'fs';
import { join } from 'path';
import { npm, root } from './prepare.mjs';
import { output, packFolder, writeChecksums } from './release-files.mjs';
import { closeChangelog, formatCommits, sectionOf, withVersion } from './release-version.mjs';

const usage = 'usage: npm run release -- <major.minor.patch> [--dry-run]';
const chart = 'deploy/helm/ringback';
const folder = join(root, 'dist/release');
const read = (file) => fs.readFileSync(join(root, file), 'utf8');
const print = (text) => process.stdout.write(`${text}\n`);
const git = (...args) => output('git', args, root).toString().trim();

function main(args) {
  const isDryRun = args.includes('--dry-run');
  const [version, ...others] = args.filter((arg) => arg !== '--dry-run');
  if (others.length > 0 || !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version ?? '')) throw new Error(usage);
  const changed = git('status', '--porcelain');
  if (changed) throw new Error(`commit or stash these first:\n${changed}`);
  const files = prepareFiles(version);
  const before = new Map([...files.keys()].map((file) => [file, read(file)]));
  const restore = () => before.forEach((text, file) => fs.writeFileSync(join(root, file), text));
  try {
    files.forEach((text, file) => fs.writeFileSync(join(root, file), text));
    build(version);
  } catch (error) {
    restore();
    throw error;
  }
  if (isDryRun) restore();
  else printCommands(version, files.size > 0);
}

/** The files that a release of this version changes, with their texts. None once it is released. */
function prepareFiles(version) {
  const changelog = read('CHANGELOG.md');
  const files = withVersion(root, version);
  if (!sectionOf(changelog, version)) {
    if (git('tag', '--list', `v${version}`))
      throw new Error(`the tag v${version} exists, and CHANGELOG.md does not know it`);
    files.set('CHANGELOG.md', closeChangelog(changelog, version, git('log', '-1', '--format=%cs')));
  }
  return new Map([...files].filter(([file, text]) => text !== read(file)));
}

function build(version) {
  fs.rmSync(folder, { recursive: true, force: true });
  const [command, ...first] = npm();
  const { status } = spawnSync(command, [...first, 'run', '--silent', 'package'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('npm run package failed');
  const sbom = output('tar', ['-xzOf', join(folder, `ringback-${version}.tgz`), 'package/sbom.cdx.json']);
  fs.writeFileSync(join(folder, `ringback-${version}.cdx.json`), sbom);
  // Charts are named like npm packages, so they have a folder of their own.
  packFolder(join(root, chart), join(folder, 'chart', `ringback-${version}.tgz`));
  fs.writeFileSync(join(folder, 'NOTES.md'), notes(version));
  buildImage(version);
  for (const file of [...writeChecksums(folder), 'SHA256SUMS']) print(`dist/release/${file}`);
}

/** The changelog's section and the commits since the release before. */
function notes(version) {
  const tags = git('tag', '--list', 'v*', '--sort=-version:refname', '--merged', 'HEAD').split('\n');
  const previous = tags.find((tag) => tag && tag !== `v${version}`);
  const log = git('log', '--no-merges', '--abbrev=10', '--format=%h %s', previous ? `${previous}..HEAD` : 'HEAD');
  const title = `## Commits ${previous ? `since ${previous}` : 'so far'}`;
  return `# Ringback ${version}\n\n${sectionOf(read('CHANGELOG.md'), version)}\n\n${title}\n\n${formatCommits(log)}`;
}

/** Writes the image as an OCI archive, if Docker can build it. Its bytes depend on the base images of the day. */
function buildImage(version) {
  if (spawnSync('docker', ['info'], { stdio: 'ignore' }).status !== 0)
    return print('NO IMAGE: Docker cannot be run here. Everything else is complete.');
  const epoch = git('log', '-1', '--format=%ct');
  const target = `type=oci,dest=${join(folder, `ringback-${version}-image.tar`)},rewrite-timestamp=true`;
  const options = ['--build-arg', `SOURCE_DATE_EPOCH=${epoch}`, '--tag', `ringback:${version}`, '--output', target];
  const { status } = spawnSync('docker', ['buildx', 'build', ...options, '.'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('the image cannot be built');
}

function printCommands(version, isChanged) {
  const commit = isChanged ? [`git commit -am 'chore: release ${version}'`] : [];
  const hasTag = git('tag', '--list', `v${version}`) !== '';
  const commands = [
    ...commit,
    ...(hasTag ? [] : [`git tag -a v${version} -m 'Ringback ${version}'`]),
    `git push --follow-tags`,
    `npm publish dist/release/ringback-${version}.tgz`,
    `npm publish --access public dist/release/ringback-client-${version}.tgz`,
    `helm push dist/release/chart/ringback-${version}.tgz oci://REGISTRY/charts`,
    `skopeo copy oci-archive:dist/release/ringback-${version}-image.tar docker://REGISTRY/ringback:${version}`,
  ];
  print(`\nNothing is published. To publish:\n\n${commands.map((line) => `  ${line}`).join('\n')}`);
}

try {
  main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`ringback: ${error.message}\n`);
  process.exit(1);
}
