import { expect, test } from '@jest/globals';
import { nameInUse, namingVariables, readConfig, readNaming, warnOfRenamedVariables, withNewNames } from './config.js';

const renames = [
  ['EGRESS_ALLOW', 'EGRESS_ALLOWED_CIDRS', { valid: '10.0.0.0/8', invalid: '10.0.0.0/99' }],
  ['SECRETS_KEY', 'SECRETS_KEYS', { valid: `k1:${'ab'.repeat(32)}`, invalid: 'k1:short' }],
] as const;

/** The warnings that a process logs when it starts with this environment. */
function warningsFor(env: NodeJS.ProcessEnv): unknown[] {
  const warnings: unknown[] = [];
  warnOfRenamedVariables(env, { warn: (message, fields) => warnings.push([message, fields]) });
  return warnings;
}

const readAll = (env: NodeJS.ProcessEnv) => JSON.stringify(readConfig(env, ['EGRESS_ALLOWED_CIDRS', 'SECRETS_KEYS']));

test.each(renames)('%s still works, and one warning names %s', (oldName, newName, { valid }) => {
  expect(readAll({ [oldName]: valid })).toBe(readAll({ [newName]: valid }));
  expect(readAll({ [oldName]: valid })).not.toBe(readAll({}));
  expect(warningsFor({ [oldName]: valid })).toEqual([
    ['config.variable_renamed', { variable: oldName, new_name: newName, hint: `set ${newName} instead of ${oldName}` }],
  ]);
});

test.each(renames)('when %s and %s are both set, the new name wins', (oldName, newName, { valid, invalid }) => {
  const env = { [oldName]: invalid, [newName]: valid };
  expect(readAll(env)).toBe(readAll({ [newName]: valid }));
  expect(warningsFor(env)).toMatchObject([['config.variable_renamed', { hint: expect.stringContaining('wins') }]]);
});

test.each(renames)('a message names %s or %s, whichever is set', (oldName, newName, { valid, invalid }) => {
  expect(() => readAll({ [oldName]: invalid })).toThrow(new RegExp(`^${oldName} `));
  expect(() => readAll({ [newName]: invalid })).toThrow(new RegExp(`^${newName} `));
  expect(nameInUse(newName, { [oldName]: valid })).toBe(oldName);
  expect(nameInUse(newName, {})).toBe(newName);
});

test.each(renames)('without %s there is no warning', (_oldName, newName, { valid }) => {
  expect(warningsFor({ [newName]: valid })).toEqual([]);
});

test('an environment can be rewritten to the new names', () => {
  const env = { SECRETS_KEY: 'old', SECRETS_KEYS: 'new', EGRESS_ALLOW: '10.0.0.0/8', PORT: '1' };
  const renamed = withNewNames(env);
  expect(renamed).toEqual({ SECRETS_KEYS: 'new', EGRESS_ALLOWED_CIDRS: '10.0.0.0/8', PORT: '1' });
  expect(withNewNames(renamed)).toEqual(renamed);
});

test('a further header with the prefix is refused in one line that names the variable', () => {
  const read = (env: NodeJS.ProcessEnv) => readNaming(readConfig(env, namingVariables));
  const headers = { CALLBACK_HEADERS: '{"X-Acme-Region":"eu"}' };
  expect(read(headers).constantHeaders).toMatchObject({ 'X-Acme-Region': 'eu' });
  expect(() => read({ ...headers, HEADER_PREFIX: 'X-Acme-' })).toThrow(
    'CALLBACK_HEADERS must not set X-Acme-Region, which has the HEADER_PREFIX',
  );
});

test.each([
  ['USER_AGENT', 'a\nb'],
  ['USER_AGENT', 'é'],
  ['CALLBACK_HEADERS', '{"Host":"a"}'],
] as const)('%s=%j is refused in one line that names it', (name, value) => {
  expect(() => readConfig({ [name]: value }, namingVariables)).toThrow(new RegExp(`^${name} [^\\n]+$`));
});
