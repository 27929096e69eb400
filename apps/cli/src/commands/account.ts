import type { Command } from 'commander';
import { createAccount, listAccounts } from '@ringback/ledger';
import { withConnections } from '../connect.js';
import { type Json, jsonOption } from '../options/json.js';
import { parseName } from '../options/names.js';
import { print } from '../output.js';

/** Adds the commands `account create|list`. */
export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('manage accounts, the customers of the messaging platform');
  account
    .command('create')
    .description('create an account with a callback token and an access token')
    .requiredOption('--name <name>', 'name of the account', parseName)
    .addOption(jsonOption())
    .action(async ({ name, json }: Json & { name: string }) => {
      const account = await withConnections(({ db }) => createAccount(db, { name }));
      const { id, accessToken, callbackToken } = account;
      print({ id, name, access_token: accessToken, callback_token: callbackToken }, { json });
    });
  account
    .command('list')
    .description('list the accounts, newest first')
    .addOption(jsonOption())
    .action(async ({ json }: Json) => {
      const accounts = await withConnections(({ db }) => listAccounts(db));
      print(
        accounts.map(({ id, name, createdAt }) => ({ id, name, created_at: createdAt })),
        { json },
      );
    });
}
