import { expect, test } from '@jest/globals';
import { readConfig, renamedVariables, warnOfRenamedVariables } from './config.js';

const renames = Object.entries(renamedVariables);

/** The warnings that a process logs when it starts with this environment. */
function warningsFor(env: NodeJS.ProcessEnv): unknown[] {
  const warnings: unknown[] = [];
  warnOfRenamedVariables(env, { warn: (message, fields) => warnings.push([message, fields]) });
  return warnings;
}

test.each(renames)('%s still works, and one warning names %s', (oldName, newName) => {
  expect(readConfig({ [oldName]: 'true' }, [newName])).toEqual({ [newName]: true });
  expect(warningsFor({ [oldName]: 'true' })).toEqual([
    ['config.variable_renamed', { variable: oldName, new_name: newName, hint: `set ${newName} instead of ${oldName}` }],
  ]);
});

test.each(renames)('when %s and %s are both set, the new name wins', (oldName, newName) => {
  const env = { [oldName]: 'true', [newName]: 'false' };
  expect(readConfig(env, [newName])).toEqual({ [newName]: false });
  expect(warningsFor(env)).toMatchObject([['config.variable_renamed', { hint: expect.stringContaining('wins') }]]);
});

test.each(renames)('an invalid %s is refused by the name that was used', (oldName, newName) => {
  expect(() => readConfig({ [oldName]: 'yes' }, [newName])).toThrow(`${oldName} must be true or false`);
});

test.each(renames)('without %s there is no warning', (_oldName, newName) => {
  expect(warningsFor({ [newName]: 'true' })).toEqual([]);
});
