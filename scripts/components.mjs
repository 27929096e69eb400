// Describes packages of package-lock.json as CycloneDX JSON. It needs neither the network nor installed packages.
import { spawnSync } from 'child_process';
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
