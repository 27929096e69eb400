import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

const only = (name, message) => ({ name, message });

// Rule 2 of docs/house-rules.md: one home per library. The lint message names the first home.
const homes = [
  { libraries: ['express'], homes: ['apps/api/src/**'] },
  { libraries: ['got'], homes: ['apps/worker/src/sender/send.ts'] },
  { libraries: ['bullmq'], homes: ['packages/queue/src/**', 'packages/client/src/queue-producer.ts'] },
  { libraries: ['ioredis'], homes: ['packages/queue/src/**'] },
  { libraries: ['@prisma/client', '@prisma/adapter-pg'], homes: ['packages/ledger/src/**'] },
  {
    libraries: ['pg'],
    homes: [
      'packages/ledger/src/**',
      'packages/queue/src/**',
      'packages/process/src/**',
      'packages/testing/src/**',
      'packages/embedded/src/**',
    ],
  },
  { libraries: ['prom-client'], homes: ['packages/process/src/**', 'packages/queue/src/metrics.ts'] },
  { libraries: ['winston'], homes: ['packages/process/src/**'] },
  { libraries: ['react', 'react-dom', 'wouter', '@tanstack/react-query'], homes: ['apps/portal/src/**'] },
  { libraries: ['commander'], homes: ['apps/cli/src/**', 'packages/process/src/**'] },
];
const restricted = homes.flatMap(({ libraries, homes: [first] }) =>
  libraries.map((name) => only(name, `${name} lives in ${first}.`)),
);
const patterns = [
  {
    group: [
      '@ringback/*/*',
      '!@ringback/process/command-line',
      '!@ringback/process/metrics',
      '**/apps/**',
      '@ringback/api',
      '@ringback/worker',
      '@ringback/cli',
      '@ringback/portal',
    ],
    message: 'Import a package by its name; apps are not imported.',
  },
];
const pure = {
  files: ['packages/rules/src/**/*.ts'],
  ignores: ['**/*.test.ts'],
  rules: {
    'no-restricted-imports': [
      'error',
      { patterns: [{ regex: '^(?!\\./|zod$|node:crypto$|node:net$)', message: 'packages/rules is pure.' }] },
    ],
  },
};
const restrictedSyntax = [
  { selector: 'ExportAllDeclaration', message: 'Name what a package exports.' },
  {
    selector: "MemberExpression[object.name='jest'][property.name='mock']",
    message: 'Tests use the real thing.',
  },
];
const uncheckedRows =
  'Define a Statement and name its columns (packages/ledger/src/sql/statement.ts): a test checks them.';
const allHomes = [...new Set(homes.flatMap((entry) => entry.homes))];

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/dist-test/**',
      '**/generated/**',
      '**/node_modules/**',
      '.data/**',
      '**/*.mjs',
      // To copy into projects that have rules of their own.
      'examples/**',
      'prisma.config.ts',
    ],
  },
  ...tseslint.configs.strict,
  {
    files: ['**/*.{ts,tsx}'],
    rules: {
      // Prettier wraps code, but not comments.
      'max-len': ['error', { code: 10_000, comments: 120, ignoreUrls: true }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'max-depth': ['error', 3],
      'max-params': ['error', 4],
      'no-restricted-imports': ['error', { paths: restricted, patterns }],
      'no-restricted-properties': [
        'error',
        {
          object: 'URL',
          property: 'canParse',
          message: "After some 2,000 calls Node 20's refuses valid URLs. Use new URL in a try.",
        },
      ],
      'no-restricted-syntax': ['error', ...restrictedSyntax],
    },
  },
  // In the home of a library, the library may be imported; all others may not.
  ...allHomes.map((home) => ({
    files: [home],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: restricted.filter(
            ({ name }) => !homes.some((entry) => entry.libraries.includes(name) && entry.homes.includes(home)),
          ),
          patterns,
        },
      ],
    },
  })),
  pure,
  {
    // Rows come only from statements, whose columns are checked.
    files: ['packages/ledger/src/**/*.ts'],
    ignores: ['**/*.test.ts', 'packages/ledger/src/sql/statement.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...restrictedSyntax,
        { selector: "CallExpression[callee.property.name='query'][typeArguments]", message: uncheckedRows },
        {
          selector:
            ":matches(VariableDeclarator, AssignmentExpression, ReturnStatement, MemberExpression, ArrowFunctionExpression) > AwaitExpression > CallExpression[callee.property.name='query']",
          message: uncheckedRows,
        },
      ],
    },
  },
  {
    files: ['apps/portal/src/**'],
    ...reactHooks.configs.flat['recommended-latest'],
  },
  {
    // They must run on old versions of Node, so that they can say that Node is too old.
    files: ['scripts/*.cjs'],
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  {
    files: ['**/*.test.ts', '**/*.fixture.ts', 'test/**/*.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off', 'no-restricted-imports': 'off' },
  },
);
