import { expect, test } from '@jest/globals';
import { isQueueUnavailable } from './engine.js';

test.each([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  '57P01',
  '57P05',
  '28P01',
  '28000',
  '3D000',
  '25006',
  '53100',
])('an error with the code %s, or one that wraps it, means that the engine is unavailable', (code) => {
  const error = Object.assign(new Error('failed'), { code });
  const errors = [error, new Error('x', { cause: error }), new AggregateError([error])];
  expect(errors.map(isQueueUnavailable)).toEqual([true, true, true]);
});

test.each([
  ['MISCONF Errors writing to the AOF file: No space left on device'],
  ['NOAUTH Authentication required.'],
  ['WRONGPASS invalid username-password pair or user is disabled.'],
  ["NOPERM this user has no permissions to run the 'evalsha' command or its subcommand"],
  ["OOM command not allowed when used memory > 'maxmemory'."],
  ['BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.'],
  [
    'ERR Error running script (call to f_7b59): @user_script:9: @user_script: 9: -MISCONF Redis is configured to save RDB snapshots',
  ],
  [
    "ERR Error running script (call to f_7b59): @user_script:9: @user_script: 9: -READONLY You can't write against a read only replica.\n",
  ],
  [
    "ERR Error running script (call to f_7b59): @user_script:9: -OOM command not allowed when used memory > 'maxmemory'.",
  ],
])('the engine is unavailable when Redis says: %s', (message) => {
  expect(isQueueUnavailable(new Error(message))).toBe(true);
});

test.each([
  ['ERR Error running script (call to f_7b59): @user_script:9: attempt to index a nil value'],
  ["ERR unknown command 'OOM'"],
  ['BUSYGROUP Consumer Group name already exists'],
  ['WRONGTYPE Operation against a key holding the wrong kind of value'],
])('the engine is available when Redis says: %s', (message) => {
  expect(isQueueUnavailable(new Error(message))).toBe(false);
});
