// Bundles the compiled programs for the npm package. What several programs use becomes a file of its own in `lib`, so
// that the package has it once.
import { join } from 'path';
import { rolldown } from 'rolldown';
import { root } from './prepare.mjs';

const apps = ['api', 'cli', 'sandbox', 'start', 'worker'];
// Compiled parts that msgpackr and pg can do without.
const leftOut = ['msgpackr-extract', 'pg-native'];

/** Writes the bundles below `folder`, as `apps/<name>/dist/main.js`. Returns the files of all modules in them. */
export async function bundle(folder) {
  const mains = apps.map((app) => [`apps/${app}/dist/main`, join(root, `apps/${app}/dist/main.js`)]);
  const bundler = await rolldown({
    cwd: root,
    input: Object.fromEntries(mains),
    platform: 'node',
    external: leftOut,
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
  const foreign = output.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]);
  const missing = foreign.filter((name) => !name.startsWith('node:') && !output.some((file) => file.fileName === name));
  return { modules: output.flatMap(({ modules }) => Object.keys(modules)), missing };
}
