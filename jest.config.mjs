import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const root = import.meta.dirname ?? new URL('.', import.meta.url).pathname;

/** Compiled tests whose source is gone: the compiler leaves them behind. */
function findOrphans() {
  const homes = ['packages', 'apps'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(root, group, name)),
  );
  return [...homes, ...['e2e', 'portal', 'faults', 'bench'].map((name) => join(root, 'test', name))].flatMap((home) => {
    return [join(home, 'dist'), join(home, 'dist-test')].flatMap((dist) => {
      const files = existsSync(dist) ? readdirSync(dist, { recursive: true }) : [];
      return files
        .filter((file) => file.endsWith('.test.js') && !existsSync(join(home, 'src', file.replace(/js$/, 'ts'))))
        .map((file) => join(dist, file));
    });
  });
}

const literal = (path) => `^${path.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`;

// Jest loads ES modules only with this flag, as its documentation says. Its workers inherit it.
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --experimental-vm-modules --disable-warning=ExperimentalWarning`;

// Tests run as they were compiled: what is tested is what runs.
export default {
  rootDir: root,
  roots: ['packages', 'apps', 'test', 'scripts'].map((folder) => join(root, folder)),
  // The portal's dist is what browsers get.
  testMatch: ['**/dist/**/*.test.js', '**/dist-test/**/*.test.js', '**/scripts/*.test.mjs'],
  // The tests of the image need an image: `npm run test:image` builds it.
  testPathIgnorePatterns: [
    '/node_modules/',
    ...(process.env.TEST_IMAGE ? [] : [literal(join(root, 'test/e2e/dist/image.test.js'))]),
    ...findOrphans().map(literal),
  ],
  transform: {},
  testEnvironment: 'node',
  // Nothing here is about speed, and machines that run tests are often busy.
  testTimeout: 120_000,
  // Test files spend about half of their time waiting, so three more of them than there are cores keep all cores busy.
  maxWorkers: availableParallelism() + 3,
  // Modules are loaded for each test file and not always freed. With a limit, Jest also never runs tests in its own
  // process, which lacks the flag above.
  workerIdleMemoryLimit: '800MB',
  globalSetup: join(root, 'packages/testing/dist/global-setup.js'),
  globalTeardown: join(root, 'packages/testing/dist/global-teardown.js'),
};
