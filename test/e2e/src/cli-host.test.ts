import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@ringback/testing';
import { runCli } from './cli.js';
import { runCommand } from './command.js';

let database: TestDatabase;
beforeAll(async () => void (database = await createTestDatabase()));
afterAll(() => database.drop());

test('a command has the same output and exit code in its own process and in a shared one', async () => {
  const event = JSON.stringify({ event: 'sms:message:status', account_id: 'x', payload: { id: '' } });
  const commands: [string[], NodeJS.ProcessEnv?][] = [
    [['account', 'list', '--json'], { DATABASE_URL: database.url }],
    [['event', 'publish'], { DATABASE_URL: database.url }],
    [['account', 'list'], { DATABASE_URL: 'postgresql://a:b@127.0.0.1:1/c' }],
    [['account', 'creat']],
    [['--version']],
    [['account', '--help']],
    [['account', 'list'], { DATABASE_URL: database.url }],
  ];
  for (const [args, env = {}] of commands) {
    const alone = await runCommand('apps/cli/dist/main.js', { args, env, input: event });
    expect([args, await runCli(args, { env, input: event })]).toEqual([args, alone]);
  }
});
