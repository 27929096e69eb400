// `npm run release -- <version> [--dry-run]`: sets the version, closes the changelog's section and builds everything
// into dist/release. It publishes nothing and prints the commands that do. On the tagged commit it changes no file and
// builds the same bytes again, except those of the image. With --dry-run, when it fails and when it is stopped, it puts
// back the files that it changed.
import { spawn, spawnSync } from 'child_process';
import fs from 'fs';
import { constants } from 'os';
import { join } from 'path';
import { npmCommand, root } from './prepare.mjs';
import { captureStdout, packFolder, writeChecksums } from './release-files.mjs';
import { closeChangelog, formatCommits, sectionOf, withVersion } from './release-version.mjs';

const usage = 'usage: npm run release -- <major.minor.patch> [--dry-run]';
const chart = 'deploy/helm/ringback';
const folder = join(root, 'dist/release');
const read = (file) => fs.readFileSync(join(root, file), 'utf8');
const print = (text) => process.stdout.write(`${text}\n`);
const git = (...args) => captureStdout('git', args, root).toString().trim();

async function main(args) {
  const isDryRun = args.includes('--dry-run');
  const [version, ...others] = args.filter((arg) => arg !== '--dry-run');
  if (others.length > 0 || !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version ?? '')) throw new Error(usage);
  const changed = git('status', '--porcelain');
  if (changed) throw new Error(`commit or stash these first:\n${changed}`);
  const files = prepareFiles(version);
  const before = new Map([...files.keys()].map((file) => [file, read(file)]));
  const restore = () => before.forEach((text, file) => fs.writeFileSync(join(root, file), text));
  process.on('exit', restore);
  files.forEach((text, file) => fs.writeFileSync(join(root, file), text));
  const hasImage = await build(version);
  if (isDryRun) return;
  process.off('exit', restore);
  printCommands(version, { isChanged: files.size > 0, hasImage });
}

/** The files that a release of this version changes, with their new texts. None after the version was released. */
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

/** Builds everything. Returns whether there is an image. */
async function build(version) {
  fs.rmSync(folder, { recursive: true, force: true });
  const [command, ...first] = npmCommand();
  if ((await run(command, [...first, 'run', '--silent', 'package'])) !== 0) throw new Error('npm run package failed');
  if ((await run(command, [...first, 'run', '--silent', 'clients'])) !== 0)
    throw new Error('the clients for other languages cannot be generated');
  const sbom = captureStdout('tar', ['-xzOf', join(folder, `ringback-${version}.tgz`), 'package/sbom.cdx.json']);
  fs.writeFileSync(join(folder, `ringback-${version}.cdx.json`), sbom);
  // Charts are named like npm packages, so they have a folder of their own.
  packFolder(join(root, chart), join(folder, 'chart', `ringback-${version}.tgz`));
  fs.writeFileSync(join(folder, 'NOTES.md'), notes(version));
  const hasImage = await buildImage(version);
  for (const file of [...writeChecksums(folder), 'SHA256SUMS']) print(`dist/release/${file}`);
  return hasImage;
}

/** The changelog's section and the commits since the previous release. */
function notes(version) {
  // v1.0.0-rc.1 comes before v1.0.0.
  const order = ['-c', 'versionsort.suffix=-', 'tag', '--sort=-version:refname'];
  const tags = git(...order, '--list', 'v*', '--merged', 'HEAD').split('\n');
  const previous = tags.find((tag) => tag && tag !== `v${version}`);
  const log = git('log', '--no-merges', '--abbrev=10', '--format=%h %s', previous ? `${previous}..HEAD` : 'HEAD');
  const title = `## Commits ${previous ? `since ${previous}` : 'so far'}`;
  return `# Ringback ${version}\n\n${sectionOf(read('CHANGELOG.md'), version)}\n\n${title}\n\n${formatCommits(log)}`;
}

/** Writes the image as an OCI archive, if Docker can. Its bytes depend on the base images of the day. */
async function buildImage(version) {
  const obstacle = findImageObstacle();
  if (obstacle) {
    print(`NO IMAGE: docker buildx cannot write one here (${obstacle}). Everything else is complete.`);
    return false;
  }
  const epoch = git('log', '-1', '--format=%ct');
  const options = ['--build-arg', `SOURCE_DATE_EPOCH=${epoch}`, '--tag', `ringback:${version}`];
  const file = join(folder, `ringback-${version}-image.tar`);
  if ((await run('docker', [...imageOptions(file), ...options, '.'])) !== 0)
    throw new Error('the image cannot be built');
  return true;
}

/** The first arguments of docker, to build an image into this file (`-`: to stdout). */
const imageOptions = (file) => ['buildx', 'build', '--output', `type=oci,dest=${file},rewrite-timestamp=true`];

/**
 * Says why Docker cannot write an OCI archive here: it does not run, has no buildx, or its driver lacks this exporter.
 * Undefined if it can: it has then built an empty image.
 */
function findImageObstacle() {
  const options = { input: 'FROM scratch\nLABEL empty=true\n', stdio: ['pipe', 'ignore', 'pipe'], encoding: 'utf8' };
  const { status, stderr, error } = spawnSync('docker', [...imageOptions('-'), '-'], options);
  if (status === 0) return undefined;
  const lines = (stderr ?? '').split('\n').filter(Boolean);
  return lines.find((line) => line.startsWith('ERROR: ')) ?? lines[0] ?? error?.message ?? `it ended with ${status}`;
}

let child;

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const exitBy = (signal) => process.exit(128 + constants.signals[signal]);

/** Runs a command, which a signal to this process also ends. Resolves with the exit code. */
function run(command, args) {
  child = spawn(command, args, { cwd: root, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    // Ctrl-C may end the command before this process sees the signal.
    child.on('close', (code, signal) => (stopSignals.includes(signal) ? exitBy(signal) : resolve(code)));
    child.on('error', reject);
  });
}

/** Passes the signal on to the command that runs, if there is one, and ends this process after it has ended. */
function stop(signal) {
  if (!child || child.exitCode !== null || child.signalCode !== null) return exitBy(signal);
  child.on('close', () => exitBy(signal));
  child.kill(signal);
}

function printCommands(version, { isChanged, hasImage }) {
  const commit = isChanged ? [`git commit -am 'chore: release ${version}'`] : [];
  const hasTag = git('tag', '--list', `v${version}`) !== '';
  // npm refuses a pre-release without a tag, because users would get it as the newest version.
  const publish = version.includes('-') ? 'npm publish --tag next' : 'npm publish';
  const archive = `dist/release/ringback-${version}-image.tar`;
  const commands = [
    ...commit,
    ...(hasTag ? [] : [`git tag -a v${version} -m 'Ringback ${version}'`]),
    `git push --follow-tags`,
    `${publish} dist/release/ringback-${version}.tgz`,
    `${publish} --access public dist/release/ringback-client-${version}.tgz`,
    `helm push dist/release/chart/ringback-${version}.tgz oci://REGISTRY/charts`,
    ...(hasImage ? [`skopeo copy oci-archive:${archive} docker://REGISTRY/ringback:${version}`] : []),
  ];
  print(`\nNothing is published. To publish:\n\n${commands.map((line) => `  ${line}`).join('\n')}`);
}

stopSignals.forEach((signal) => process.on(signal, stop));
main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`ringback: ${error.message}\n`);
  process.exit(1);
});
