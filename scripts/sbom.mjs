// `npm run sbom [-- <file>]`: writes what `npm ci --omit=dev` installs, as CycloneDX JSON.
// Reads package-lock.json and nothing else: it needs no network and no installation.
import { spawnSync } from 'child_process';
import fs from 'fs';
import { dirname, join, resolve } from 'path';
import { fileURLToPath } from 'url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const file = resolve(process.argv[2] || join(root, 'sbom.cdx.json'));
const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];

const npm = process.env.npm_execpath;
const [command, first] = /npm-cli\.c?js$/.test(npm || '') ? [process.execPath, [npm]] : ['npm', []];
const made = spawnSync(command, first.concat(args, '--loglevel=error'), {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
if (made.status !== 0) {
  process.stderr.write(`ringback: npm sbom failed: ${made.error ? made.error.message : made.stderr.trim()}\n`);
  process.exit(1);
}
const sbom = JSON.parse(made.stdout);

// With --omit=dev npm leaves out what both development and Ringback itself need, so this is done here.
const { packages } = JSON.parse(fs.readFileSync(join(root, 'package-lock.json'), 'utf8'));
const needed = new Set(
  Object.entries(packages)
    .filter(([, { dev, link }]) => !dev && !link)
    .map(([location, { name, version }]) => `${name || location.replace(/^.*node_modules\//, '')}@${version}`),
);
sbom.components = sbom.components.filter((component) => needed.has(component['bom-ref']));
const kept = new Set([sbom.metadata.component].concat(sbom.components).map((component) => component['bom-ref']));
sbom.dependencies = sbom.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }));
// npm names what is in this repository after its folders.
for (const component of [sbom.metadata.component].concat(sbom.components)) {
  component.name = component['bom-ref'].replace(/@[^@]*$/, '');
}
fs.writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
process.stdout.write(`${sbom.components.length} components in ${file}\n`);
