import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const root = import.meta.dirname ?? new URL('.', import.meta.url).pathname;

// Jest loads ES modules only with this flag, as its documentation says. Its workers inherit it, and with
// `workerIdleMemoryLimit` no test runs in Jest's first process, which lacks it.
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --experimental-vm-modules --disable-warning=ExperimentalWarning`;

/** Slow by nature: `npm test` without arguments leaves these out, `npm run test:all` runs them too. */
const slow = [
  // A browser, faults, and benchmarks that measure nothing at this size.
  'test/(portal|faults|bench)/',
  // Each process takes a second of CPU time, so only the way of an event and the command line are tested.
  'test/e2e/dist/(?!api-and-worker|cli\\.)',
  'apps/cli/dist/dev/start\\.',
  'packages/embedded/',
  // What a release consists of, and Helm.
  'scripts/(release|supply-chain|getting-started|move-in|run|helm)',
  // Redis in clusters, with Sentinel and TLS, behind a dead network, and clients in other languages.
  'packages/queue/.*(sentinel|cluster|tls|redis-failover|black-hole|foreign-clients)\\.',
  // Engines whose servers are stopped and restarted, and processes that end.
  'packages/queue/.*(postgres|redis)-engine\\.',
  'apps/worker/.*queue-watch\\.',
  // Random requests, every operation with every kind of session, and a linter.
  'apps/api/.*(fuzz|restricted-sessions|openapi/document)\\.',
  // Many inputs or rows: corpora of documents and texts, long lists, 200,000 deliveries, random lock orders, and
  // hundreds of hostile receivers.
  'apps/api/.*(json-documents|list-pages)\\.',
  'packages/rules/.*template-naughty\\.',
  'packages/ledger/.*(due-blocks|lock-order)\\.',
  'apps/worker/.*(verification-repair|send-hostile)\\.',
];

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

// Tests run as they were compiled: what is tested is what runs.
export default {
  rootDir: root,
  roots: ['packages', 'apps', 'test', 'scripts'].map((folder) => join(root, folder)),
  // The portal's dist is what browsers get.
  testMatch: ['**/dist/**/*.test.js', '**/dist-test/**/*.test.js', '**/scripts/*.test.mjs'],
  testPathIgnorePatterns: [
    '/node_modules/',
    // These need an image: `npm run test:image` builds it.
    ...(process.env.TEST_IMAGE ? [] : ['test/e2e/dist/image\\.test\\.js']),
    ...(process.env.QUICK_TESTS ? slow : []),
    ...findOrphans().map(literal),
  ],
  transform: {},
  // Nothing here is about speed, and machines that run tests are often busy.
  testTimeout: 300_000,
  // Test files wait for part of their time, so two more of them than there are cores keep all cores busy. On two cores,
  // a whole run took 25 minutes like this, 31 with one file more at once, and 29 with one less.
  maxWorkers: availableParallelism() + 2,
  // Modules are loaded for each test file, and Node does not free all of them.
  workerIdleMemoryLimit: '800MB',
  testSequencer: join(root, 'test/sequencer.mjs'),
  globalSetup: join(root, 'test/start-servers.mjs'),
  globalTeardown: join(root, 'test/stop-servers.mjs'),
};
