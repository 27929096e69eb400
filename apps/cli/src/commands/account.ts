import type { Command } from 'commander';
import { createAccount, listAccounts, type Change, listNewestChanges } from '@ringback/ledger';
import { withConnections } from '../connect.js';
import { type Json, jsonOption, parseName, requireAccount, idOption, limitOption, listNewest } from '../options.js';
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
      const { accounts } = await withConnections(({ db }) => listAccounts(db, { cursor: null, perPage: 10_000 }));
      print(
        accounts.map(({ id, name, createdAt }) => ({ id, name, created_at: createdAt })),
        { json },
      );
    });
}

type Options = Json & { account?: string; limit: number };

/** Adds the command `changes`, which lists who changed what, and when. */
export function addChangesCommand(program: Command): void {
  program
    .command('changes')
    .description('list the changes that customers and operators made, newest first')
    .addOption(idOption('--account <id>', 'only changes of this account (default: all changes)'))
    .addOption(limitOption())
    .addOption(jsonOption())
    .action(async ({ account, limit, json }: Options) => {
      const changes = await withConnections(async ({ db }) => {
        if (account !== undefined) await requireAccount(db, account);
        return listNewest(limit, (maxRows) => listNewestChanges(db, { accountId: account ?? null, limit: maxRows }));
      });
      print(changes.map(toJson), { json });
    });
}

const toJson = ({ id, accountId, at, actor, action, objectType, objectId, changed }: Change) => ({
  id,
  account_id: accountId,
  at,
  actor,
  action,
  object_type: objectType,
  object_id: objectId,
  changed,
});
