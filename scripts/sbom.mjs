// `npm run sbom [-- <file>]`: writes a list of the packages that `npm ci --omit=dev` installs, as CycloneDX JSON. It
// reads only package-lock.json, so it needs neither the network nor installed packages.
import { spawnSync } from 'child_process';
import fs from 'fs';
import { dirname, join, resolve } from 'path';
import { fileURLToPath } from 'url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const file = resolve(process.argv[2] || join(root, 'sbom.cdx.json'));
const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];

const npm = process.env.npm_execpath;
const [command, first] = /npm-cli\.c?js$/.test(npm || '') ? [process.execPath, [npm]] : ['npm', []];
const result = spawnSync(command, first.concat(args, '--loglevel=error'), {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
if (result.status !== 0) {
  process.stderr.write(`ringback: npm sbom failed: ${result.error ? result.error.message : result.stderr.trim()}\n`);
  process.exit(1);
}
const sbom = JSON.parse(result.stdout);

// With --omit=dev, npm would also omit packages that production needs too, so the packages are filtered here.
const { packages } = JSON.parse(fs.readFileSync(join(root, 'package-lock.json'), 'utf8'));
const needed = new Set(
  Object.entries(packages)
    .filter(([, { dev, link }]) => !dev && !link)
    .map(([location, { name, version }]) => `${name || location.replace(/^.*node_modules\//, '')}@${version}`),
);
sbom.components = sbom.components.filter((component) => needed.has(component['bom-ref']));
const refs = new Set([sbom.metadata.component].concat(sbom.components).map((component) => component['bom-ref']));
sbom.dependencies = sbom.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((ref) => refs.has(ref)) }));
// npm names the workspaces of this repository after their folders.
for (const component of [sbom.metadata.component].concat(sbom.components)) {
  component.name = component['bom-ref'].replace(/@[^@]*$/, '');
}
fs.writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
process.stdout.write(`${sbom.components.length} components in ${file}\n`);
