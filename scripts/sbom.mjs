// `npm run sbom [-- <file>]`: writes a list of the packages that `npm ci --omit=dev` installs, as CycloneDX JSON.
import fs from 'fs';
import { join, resolve } from 'path';
import { listComponents } from './components.mjs';
import { root } from './prepare.mjs';

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
