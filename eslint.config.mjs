import tseslint from 'typescript-eslint';

const only = (name, message) => ({ name, message });

// Rule 2 of docs/architecture.md: one home per library.
const homes = [
  { library: only('express', 'Express lives in apps/api.'), home: 'apps/api/**' },
  { library: only('got', 'The HTTP client lives in apps/worker/src/send/send.ts.'), home: 'apps/worker/src/send/send.ts' },
  { library: only('ioredis', 'Redis lives in packages/queue.'), home: 'packages/queue/**' },
  { library: only('@prisma/client', 'Prisma lives in packages/database.'), home: 'packages/database/**' },
  { library: only('winston', 'The logger lives in packages/runtime.'), home: 'packages/runtime/**' },
];
const deep = { group: ['@ringback/*/*', '**/apps/**'], message: 'Import a package by its name; apps are not imported.' };
const pure = {
  files: ['packages/callbacks/src/**/*.ts'],
  ignores: ['**/*.test.ts'],
  rules: {
    'no-restricted-imports': [
      'error',
      { patterns: [{ regex: '^(?!\\./|zod$|node:crypto$|node:net$)', message: 'packages/callbacks is pure.' }] },
    ],
  },
};

export default tseslint.config(
  { ignores: ['**/dist/**', '**/generated/**', '**/node_modules/**', '.data/**', '**/*.mjs', 'prisma.config.ts'] },
  ...tseslint.configs.strict,
  {
    files: ['**/*.ts'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'max-lines': ['error', { max: 200, skipComments: true, skipBlankLines: true }],
      'max-depth': ['error', 3],
      'max-params': ['error', 4],
      'no-restricted-imports': ['error', { paths: homes.map(({ library }) => library), patterns: [deep] }],
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportAllDeclaration', message: 'Name what a package exports.' },
        { selector: "MemberExpression[object.name='jest'][property.name='mock']", message: 'Tests use the real thing.' },
      ],
    },
  },
  ...homes.map(({ library, home }) => ({
    files: [home],
    rules: {
      'no-restricted-imports': [
        'error',
        { paths: homes.map((entry) => entry.library).filter(({ name }) => name !== library.name), patterns: [deep] },
      ],
    },
  })),
  pure,
  { files: ['**/*.test.ts', 'test/**/*.ts'], rules: { 'max-lines': 'off', '@typescript-eslint/no-non-null-assertion': 'off' } },
);
