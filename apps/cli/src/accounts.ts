import { type Command, InvalidArgumentError } from 'commander';
import {
  createAccessToken,
  createAccount,
  createPlatformToken,
  listAccounts,
  type Scope,
  scopes,
} from '@ringback/database';
import { StartError } from '@ringback/runtime';
import { withConnections } from './connect.js';
import { parseId } from './id.js';
import { print } from './output.js';

type Json = { json?: boolean | undefined };

/** `account create|list`, `token create`, `platform-token create`. */
export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('customers of the messaging platform');
  account
    .command('create')
    .description('make an account, its callback token and a first access token')
    .requiredOption('--name <name>', 'name of the account', parseName)
    .option('--json', 'print one JSON document')
    .action(async ({ name, json }: Json & { name: string }) => {
      const made = await withConnections(({ db }) => createAccount(db, { name }));
      const { id, accessToken, callbackToken } = made;
      print({ id, name, access_token: accessToken, callback_token: callbackToken }, { json });
    });
  account
    .command('list')
    .description('list the accounts, newest first')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: Json) => {
      const accounts = await withConnections(({ db }) => listAccounts(db));
      print(
        accounts.map(({ id, name, createdAt }) => ({ id, name, created_at: createdAt })),
        { json },
      );
    });
  program
    .command('token')
    .description('access tokens of an account')
    .command('create')
    .description('make a further access token')
    .requiredOption('--account <id>', 'id of the account', parseId)
    .option(
      '--scope <scope>',
      'what it is for: read, write, replay; repeated, or with commas. All if absent',
      addScopes,
    )
    .option('--json', 'print one JSON document')
    .action(async ({ account: accountId, scope, json }: Json & { account: string; scope?: Scope[] }) => {
      const made = await withConnections(({ db }) => createAccessToken(db, accountId, scope));
      if (!made) throw new StartError(`--account: there is no account ${accountId}`);
      print({ id: made.id, account_id: accountId, access_token: made.token, scopes: made.scopes }, { json });
    });
  program
    .command('platform-token')
    .description('tokens with which platforms push events over HTTP')
    .command('create')
    .description('make a platform token')
    .option('--name <name>', 'what it is for', parseName, 'platform')
    .option('--json', 'print one JSON document')
    .action(async ({ name, json }: Json & { name: string }) => {
      const made = await withConnections(({ db }) => createPlatformToken(db, { name }));
      print({ id: made.id, name, platform_token: made.token }, { json });
    });
}

function addScopes(text: string, before: Scope[] = []): Scope[] {
  const added = text.split(',').map((name) => scopes.find((scope) => scope === name.trim()));
  if (added.includes(undefined)) throw new InvalidArgumentError(`Allowed choices are ${scopes.join(', ')}.`);
  return [...before, ...added.filter((scope) => scope !== undefined)];
}

function parseName(text: string): string {
  const name = text.trim();
  if (name.length >= 1 && name.length <= 255 && !name.includes('\0')) return name;
  throw new InvalidArgumentError('It must have 1 to 255 characters.');
}
