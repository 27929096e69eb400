import { describe, expect, test } from '@jest/globals';
import { spawnSync } from 'child_process';
import { createHmac } from 'crypto';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { root } from './prepare.mjs';

const samples = join(root, 'apps/portal/src/screens/developer/samples');
const names = `'webhook-id', 'webhook-timestamp', 'webhook-signature', 'signature'`;

// Each program calls the function of its sample with the body and the headers of its arguments. Go, Java and C# are left
// out: they have to be compiled.
const programs = [
  {
    sample: 'node.txt',
    file: 'sample.mjs',
    command: process.execPath,
    program: `import { isGenuine } from './sample.mjs';
const [, , body, ...values] = process.argv;
const headers = Object.fromEntries([${names}].map((name, index) => [name, values[index]]));
console.log(isGenuine(Buffer.from(body), headers) ? 'genuine' : 'not genuine');`,
    main: 'main.mjs',
  },
  {
    sample: 'python.txt',
    file: 'sample.py',
    command: 'python3',
    program: `import sys
from sample import is_genuine
names = ["webhook-id", "webhook-timestamp", "webhook-signature", "Signature"]
print("genuine" if is_genuine(sys.argv[1].encode(), dict(zip(names, sys.argv[2:]))) else "not genuine")`,
    main: 'main.py',
  },
  {
    sample: 'php.txt',
    file: 'sample.php',
    command: 'php',
    program: `<?php require 'sample.php';
echo isGenuine($argv[1], array_combine([${names}], array_slice($argv, 2))) ? 'genuine' : 'not genuine';`,
    main: 'main.php',
  },
  {
    sample: 'ruby.txt',
    file: 'sample.rb',
    command: 'ruby',
    program: `require './sample'
names = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'Signature']
puts genuine?(ARGV[0], names.zip(ARGV[1..]).to_h) ? 'genuine' : 'not genuine'`,
    main: 'main.rb',
  },
];
const isInstalled = (command) => spawnSync(command, ['--version']).status === 0;

const key = Buffer.alloc(32, 7);
const webhookId = '0199f3a0-0000-7abc-8def-0123456789ab';
const body = '{"a":"ü"}';
const secondsAgo = (seconds) => String(Math.floor(Date.now() / 1_000) - seconds);
const sign = (time, secret = key) => `v1,${createHmac('sha256', secret).update(`id.${time}.${body}`).digest('base64')}`;
const signature = createHmac('sha256', webhookId).update(body).digest('hex');
const env = { ...process.env, WEBHOOK_ID: webhookId, SIGNING_SECRET: `whsec_${key.toString('base64')}` };

describe.each(programs)('the sample $sample of the portal', ({ sample, file, command, program, main }) => {
  (isInstalled(command) ? test : test.skip)('accepts a genuine callback and refuses forged ones', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sample-'));
    copyFileSync(join(samples, sample), join(folder, file));
    writeFileSync(join(folder, main), program);
    const run = (args, settings = env) =>
      spawnSync(command, [main, ...args], { cwd: folder, env: settings, encoding: 'utf8' }).stdout.trim();
    const [now, old] = [secondsAgo(0), secondsAgo(1_000)];
    try {
      expect(run([body, 'id', now, sign(now), signature])).toBe('genuine');
      expect(run([body, 'id', now, `v1,AAAA ${sign(now)}`, signature])).toBe('genuine');
      expect(run([`${body} `, 'id', now, sign(now), signature])).toBe('not genuine');
      expect(run([body, 'id', old, sign(old), signature])).toBe('not genuine');
      expect(run([body, 'id', now, sign(now, Buffer.alloc(32, 8)), signature])).toBe('not genuine');
      expect(run([body, 'id', now, sign(now), '00'])).toBe('not genuine');
      const empty = { ...env, SIGNING_SECRET: '' };
      expect(run([body, 'id', now, sign(now, Buffer.alloc(0)), signature], empty)).not.toBe('genuine');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
