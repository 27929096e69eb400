// Bundles the compiled programs for the npm package, and collects the licences of what is in the bundles. What several
// programs use becomes a file of its own in `lib`, so that the package has it once.
import fs from 'fs';
import { builtinModules } from 'module';
import { dirname, join, relative } from 'path';
import { rolldown } from 'rolldown';
import { root } from './prepare.mjs';

// Native add-ons that msgpackr and pg can do without.
const optionalAddOns = ['msgpackr-extract', 'pg-native'];

// A bundle can't read a file that lies beside the code of a package. This package has its WebAssembly as code too.
const alias = { '@platformatic/wasm-utils': '@platformatic/wasm-utils/bundled' };

const mains = ['api/dist', 'cli/dist', 'cli/dist/dev', 'worker/dist'].map((app) => join(root, `apps/${app}/main.js`));

/**
 * Bundles the programs and writes them to the same paths below `folder`. Returns the source files that the bundles
 * contain (`modules`), and what they need and lack (`missing`): imported modules that are neither in the bundles nor
 * Node's own, and files beside the code of a package.
 */
export async function bundlePrograms(folder) {
  const bundler = await rolldown({
    cwd: root,
    input: Object.fromEntries(mains.map((file) => [relative(root, file).replace(/\.js$/, ''), file])),
    platform: 'node',
    external: optionalAddOns,
    resolve: { alias },
    onLog: (_level, { message }) => {
      throw new Error(`the bundler complains: ${message}`);
    },
  });
  const { output } = await bundler.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'lib/[name].js',
    sourcemap: false,
  });
  await bundler.close();
  const imported = output.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]);
  const known = [
    ...builtinModules,
    ...builtinModules.map((name) => `node:${name}`),
    ...output.map((file) => file.fileName),
  ];
  const files = output.flatMap(({ code = '' }) => [
    ...code.matchAll(/new URL\(["']([^"']+\.\w+)["'], import\.meta\.url\)/g),
  ]);
  const missing = [...imported.filter((name) => !known.includes(name)), ...files.map(([, file]) => file)];
  return { modules: output.flatMap(({ modules }) => Object.keys(modules)), missing };
}

const line = `\n${'-'.repeat(80)}\n\n`;

/**
 * Describes each npm package that has one of these files: name, version, licence and the text of the licence, or its
 * owner if it has no such text.
 */
export function licencesOf(files) {
  const folders = new Set(files.filter((file) => file.includes('/node_modules/')).map(findPackage));
  return [...folders].map((folder) => {
    const { name, version, license, author } = JSON.parse(fs.readFileSync(join(folder, 'package.json'), 'utf8'));
    const licenceFiles = fs.readdirSync(folder).filter((file) => /^(licen[sc]e|notice|copying)\b/i.test(file));
    const texts = licenceFiles.sort().map((file) => fs.readFileSync(join(folder, file), 'utf8').trim());
    // A few packages have no file with their licence.
    const owner = `Copyright: ${author?.name ?? author ?? `the authors of ${name}`}`;
    return { name, version, identifier: license, text: texts.join('\n\n') || owner };
  });
}

/** Formats the licences as one text, sorted, each package and version once. */
export function formatLicences(licences) {
  const entries = licences.map(({ name, version, identifier, text }) => {
    const head = `${name} ${version}\nLicence: ${identifier}\n`;
    return text ? `${head}\n${text.replace(/\r\n/g, '\n')}\n` : head;
  });
  const intro = `This package contains code of the packages below.\n`;
  return [intro, ...[...new Set(entries)].sort()].join(line);
}

/** The folder of the package that a file is in. Folders inside a package may have a package.json without a name. */
function findPackage(file) {
  const folder = dirname(file);
  const manifest = join(folder, 'package.json');
  if (fs.existsSync(manifest)) {
    const { name, version } = JSON.parse(fs.readFileSync(manifest, 'utf8'));
    if (name && version) return folder;
  }
  return findPackage(folder);
}
