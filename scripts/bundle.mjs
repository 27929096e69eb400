// Bundles the compiled programs for the npm package. What several programs use becomes a file of its own in `lib`, so
// that the package has it once.
import { builtinModules } from 'module';
import { relative } from 'path';
import { rolldown } from 'rolldown';
import { root } from './prepare.mjs';

// Native add-ons that msgpackr and pg can do without.
const optionalAddOns = ['msgpackr-extract', 'pg-native'];

/**
 * Bundles programs and writes them to the same paths below `folder`. Returns the source files that the bundles contain
 * (`modules`), and the imported modules that are neither in the bundles nor Node's own (`missing`).
 */
export async function bundle(mains, folder) {
  const bundler = await rolldown({
    cwd: root,
    input: Object.fromEntries(mains.map((file) => [relative(root, file).replace(/\.js$/, ''), file])),
    platform: 'node',
    external: optionalAddOns,
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
  const missing = imported.filter((name) => !known.includes(name));
  return { modules: output.flatMap(({ modules }) => Object.keys(modules)), missing };
}
