// Makes the Prisma client from prisma/schema.prisma. `prisma generate` runs without the native schema engine,
// which could not be downloaded on a machine that reaches the npm registry only; it merely wants the path of one.
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
