// Generates the Prisma client from prisma/schema.prisma. `prisma generate` does not run the native schema engine, but
// it needs the path of an executable. Otherwise it downloads the engine, which fails where only the npm registry is
// reachable.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/prisma/build/index.js'), 'generate', '--no-hints'],
  {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1', ...process.env },
  },
);
process.exit(status ?? 1);
