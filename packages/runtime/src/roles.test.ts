import { expect, test } from '@jest/globals';
import { parseRoles, warnOfRenamedRoles } from './roles.js';

/** The warnings that a worker logs when it starts with these roles. */
function warningsFor(roles: string | undefined): unknown[] {
  const warnings: unknown[] = [];
  warnOfRenamedRoles({ WORKER_ROLES: roles }, { warn: (message, fields) => warnings.push([message, fields]) });
  return warnings;
}

test('the role reconcile still works, and one warning names maintain', () => {
  expect(parseRoles('verify, reconcile')).toEqual(new Set(['verify', 'maintain']));
  expect(warningsFor('verify, reconcile,reconcile')).toEqual([
    [
      'config.role_renamed',
      { role: 'reconcile', new_name: 'maintain', hint: 'write maintain instead of reconcile in WORKER_ROLES' },
    ],
  ]);
});

test('without an old name there is no warning', () => {
  for (const roles of [undefined, 'all', 'deliver,maintain']) expect(warningsFor(roles)).toEqual([]);
});
