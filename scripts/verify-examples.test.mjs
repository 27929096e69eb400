import { describe, expect, test } from '@jest/globals';
import { spawnSync } from 'child_process';
import { createHmac } from 'crypto';
import { join } from 'path';
import { root } from './prepare.mjs';

// examples/verify/verify.go is left out: a first `go run` compiles Go's cryptography for minutes on a busy machine.
const programs = [
  ['verify.mjs', process.execPath],
  ['verify.py', 'python3'],
  ['verify.php', 'php'],
];
const isInstalled = (command) => spawnSync(command, ['--version']).status === 0;
const env = { ...process.env, WEBHOOK_ID: 'abc', BEARER: 'secret' };
const signature = '1f14a62b15ba5095326d6c75c3e2e6b462dd71e1c4b7fbdac0f32309adb7be5f';

function run(command, file, { body, args, env: more = {} }) {
  const { stdout, status } = spawnSync(command, [join(root, 'examples/verify', file), ...args], {
    input: body,
    encoding: 'utf8',
    env: { ...env, ...more },
  });
  return { stdout: stdout.trim(), status };
}

describe.each(programs)('examples/verify/%s', (file, command) => {
  (isInstalled(command) ? test : test.skip)('accepts a genuine callback and refuses forged ones', () => {
    const accepted = { stdout: 'genuine', status: 0 };
    const refused = { stdout: 'not genuine', status: 1 };
    expect(run(command, file, { body: '{"a":1}', args: ['Bearer secret', signature] })).toEqual(accepted);
    expect(run(command, file, { body: '{"a":2}', args: ['Bearer secret', signature] })).toEqual(refused);
    expect(run(command, file, { body: '{"a":1}', args: ['Bearer other', signature] })).toEqual(refused);
    expect(run(command, file, { body: '{"a":1}', args: ['Bearer secret', ''] })).toEqual(refused);
  });
});

test('examples/verify/standard-webhooks.mjs accepts a genuine callback and refuses a forged one', () => {
  const key = Buffer.alloc(32, 7);
  const seconds = String(Math.floor(Date.now() / 1_000));
  const sign = (body) => `v1,${createHmac('sha256', key).update(`id.${seconds}.${body}`).digest('base64')}`;
  const more = { SIGNING_SECRET: `whsec_${key.toString('base64')}` };
  const args = ['id', seconds, sign('{"a":1}')];
  const verify = (body) => run(process.execPath, 'standard-webhooks.mjs', { body, args, env: more }).status;
  expect([verify('{"a":1}'), verify('{"a":2}')]).toEqual([0, 1]);
});
