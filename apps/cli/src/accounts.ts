import { type Command, InvalidArgumentError } from 'commander';
import {
  createAccessToken,
  createAccount,
  createPlatformToken,
  listAccounts,
  type Scope,
  scopes,
} from '@ringback/database';
import { OperatorError } from '@ringback/runtime';
import { withConnections } from './connect.js';
import { parseId } from './id.js';
import { print } from './output.js';

type Json = { json?: boolean | undefined };

/** Adds the commands `account create|list`, `token create` and `platform-token create`. */
export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('manage accounts, the customers of the messaging platform');
  account
    .command('create')
    .description('create an account with a callback token and an access token')
    .requiredOption('--name <name>', 'name of the account', parseName)
    .option('--json', 'print one JSON document')
    .action(async ({ name, json }: Json & { name: string }) => {
      const account = await withConnections(({ db }) => createAccount(db, { name }));
      const { id, accessToken, callbackToken } = account;
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
    .description('manage the access tokens of accounts')
    .command('create')
    .description('create another access token for an account')
    .requiredOption('--account <id>', 'id of the account', parseId)
    .option(
      '--scope <scope>',
      'allowed calls: read, write, replay (repeatable or comma-separated; default: all)',
      addScopes,
    )
    .option('--json', 'print one JSON document')
    .action(async ({ account: accountId, scope, json }: Json & { account: string; scope?: Scope[] }) => {
      const created = await withConnections(({ db }) => createAccessToken(db, accountId, scope));
      if (!created) throw new OperatorError(`--account: there is no account ${accountId}`);
      print({ id: created.id, account_id: accountId, access_token: created.token, scopes: created.scopes }, { json });
    });
  program
    .command('platform-token')
    .description('manage platform tokens, with which platforms push events over HTTP')
    .command('create')
    .description('create a platform token')
    .option('--name <name>', 'name of the token', parseName, 'platform')
    .option('--json', 'print one JSON document')
    .action(async ({ name, json }: Json & { name: string }) => {
      const created = await withConnections(({ db }) => createPlatformToken(db, { name }));
      print({ id: created.id, name, platform_token: created.token }, { json });
    });
}

/** An argument parser for scopes, repeated or separated by commas. */
export function addScopes(text: string, previous: Scope[] = []): Scope[] {
  const named = text.split(',').map((name) => scopes.find((scope) => scope === name.trim()));
  if (named.includes(undefined)) throw new InvalidArgumentError(`Allowed choices are ${scopes.join(', ')}.`);
  return [...previous, ...named.filter((scope) => scope !== undefined)];
}

/** An argument parser for names. */
export function parseName(text: string): string {
  const name = text.trim();
  if (name.length >= 1 && name.length <= 255 && !name.includes('\0')) return name;
  throw new InvalidArgumentError('It must have 1 to 255 characters.');
}
