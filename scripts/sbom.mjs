// Describes packages of package-lock.json as CycloneDX JSON, without the network or installed packages.
// `npm run sbom [-- <file>]` writes those that `npm ci --omit=dev` installs.
import { spawnSync } from 'child_process';
import fs from 'fs';
import { join, resolve } from 'path';
import { npmCommand, root } from './prepare.mjs';

/** Lists the packages for which `includes(ref)` returns true; `ref` is `<name>@<version>`. Throws if npm fails. */
export function listComponents(includes) {
  const [command, ...first] = npmCommand();
  const args = [
    'sbom',
    '--sbom-format=cyclonedx',
    '--sbom-type=application',
    '--package-lock-only',
    '--loglevel=error',
  ];
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 };
  const { status, stdout, stderr, error } = spawnSync(command, first.concat(args), options);
  if (status !== 0) throw new Error(`npm sbom failed: ${error ? error.message : stderr.trim()}`);
  const sbom = JSON.parse(stdout);
  sbom.components = sbom.components.filter((component) => includes(component['bom-ref']));
  const refs = new Set([sbom.metadata.component].concat(sbom.components).map((component) => component['bom-ref']));
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((ref) => refs.has(ref)) }));
  // npm names the workspaces of this repository after their folders.
  for (const component of [sbom.metadata.component].concat(sbom.components)) {
    component.name = component['bom-ref'].replace(/@[^@]*$/, '');
  }
  return sbom;
}

function writeProductionSbom() {
  const file = resolve(process.argv[2] || join(root, 'sbom.cdx.json'));
  // With --omit=dev, npm would also omit packages that production needs too, so the packages are filtered here.
  const { packages } = JSON.parse(fs.readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const needed = new Set(
    Object.entries(packages)
      .filter(([, { dev, link }]) => !dev && !link)
      .map(([location, { name, version }]) => `${name || location.replace(/^.*node_modules\//, '')}@${version}`),
  );
  try {
    const sbom = listComponents((ref) => needed.has(ref));
    fs.writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
    process.stdout.write(`${sbom.components.length} components in ${file}\n`);
  } catch (error) {
    process.stderr.write(`ringback: ${error.message}\n`);
    process.exit(1);
  }
}

if (process.argv[1] === import.meta.filename) writeProductionSbom();
