import { type Command, InvalidArgumentError } from 'commander';
import { hasAtMostCharacters } from '@ringback/callbacks';
import { createAccount, listAccounts } from '@ringback/database';
import { withConnections } from './connect.js';
import { print } from './output.js';

type Json = { json?: boolean | undefined };

/** Adds the commands `account create|list`. */
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
}

/** An argument parser for names. */
export function parseName(text: string): string {
  const name = text.trim();
  if (name.length >= 1 && hasAtMostCharacters(name, 255)) return name;
  throw new InvalidArgumentError('It must have 1 to 255 characters.');
}
