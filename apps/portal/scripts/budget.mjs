// Fails the build if the portal has too much JavaScript. Sizes are compressed with gzip, in KB of 1,000 bytes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const firstScreenKb = 120;
const allKb = 170;
const dist = fileURLToPath(new URL('../dist', import.meta.url));
const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'));

const kbOf = (file) => gzipSync(readFileSync(join(dist, file))).length / 1000;
const sum = (files) =>
  [...new Set(files)].filter((file) => file.endsWith('.js')).reduce((kb, file) => kb + kbOf(file), 0);

/** The files of a chunk and of all chunks that it imports statically. */
const chunksOf = (key) => [manifest[key].file, ...(manifest[key].imports ?? []).flatMap(chunksOf)];

const entry = Object.keys(manifest).find((key) => manifest[key].isEntry);
const app = Object.keys(manifest).find((key) => /^app\.tsx$/.test(key));
const screens = Object.keys(manifest).filter((key) => key.startsWith('screens/') && manifest[key].isDynamicEntry);
const sizes = [
  // Any screen can be the first one.
  ...screens.map((key) => ({ what: key, kb: sum([entry, app, key].flatMap(chunksOf)), limit: firstScreenKb })),
  { what: 'all JavaScript', kb: sum(Object.values(manifest).map(({ file }) => file)), limit: allKb },
];
const tooLarge = sizes.filter(({ kb, limit }) => kb > limit);
for (const { what, kb, limit } of process.argv.includes('--print') ? sizes : tooLarge) {
  process.stderr.write(`${what}: ${kb.toFixed(1)} KB of ${limit} KB\n`);
}
if (tooLarge.length > 0) {
  process.stderr.write('The portal exceeds its JavaScript budget.\n');
  process.exitCode = 1;
}
