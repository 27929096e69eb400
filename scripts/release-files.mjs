// Makes the files of a release that no other script makes. The same input gives the same bytes.
import { spawnSync } from 'child_process';
import { createHash } from 'crypto';
import fs from 'fs';
import { basename, dirname, join } from 'path';
import { gzipSync } from 'zlib';

/** Runs a command and returns its stdout. Throws an error with its stderr when it fails. */
export function captureStdout(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, maxBuffer: 2 ** 28 });
  if (status !== 0)
    throw new Error(`${command} ${args[0]} failed: ${error ? error.message : stderr.toString().trim()}`);
  return stdout;
}

// The order, times, owners and permissions in the archive do not depend on this machine.
const sameTar = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];

/**
 * Packs a folder, under its own name and without what its .helmignore names, as `helm package` does: a link becomes the
 * file that it points to. Needs GNU tar.
 */
export function packFolder(folder, file) {
  const ignored = join(folder, '.helmignore');
  const without = fs.existsSync(ignored) ? [`--exclude-from=${ignored}`, '--exclude=.helmignore'] : [];
  const from = ['-C', dirname(folder), '-cf', '-', basename(folder)];
  const tar = captureStdout('tar', [...sameTar, '--format=ustar', '--dereference', ...without, ...from]);
  fs.mkdirSync(dirname(file), { recursive: true });
  fs.writeFileSync(file, gzipSync(tar, { level: 9 }));
}

/** Writes SHA256SUMS of all files below the folder, as `sha256sum` does. Returns the names of these files. */
export function writeChecksums(folder) {
  const files = fs
    .readdirSync(folder, { recursive: true })
    .filter((name) => name !== 'SHA256SUMS' && fs.statSync(join(folder, name)).isFile())
    .sort();
  const hash = (name) =>
    createHash('sha256')
      .update(fs.readFileSync(join(folder, name)))
      .digest('hex');
  fs.writeFileSync(join(folder, 'SHA256SUMS'), files.map((name) => `${hash(name)}  ${name}\n`).join(''));
  return files;
}
