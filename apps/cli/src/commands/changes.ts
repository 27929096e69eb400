import type { Command } from 'commander';
import { type Change, listNewestChanges } from '@ringback/ledger';
import { requireAccount } from '../options/require-account.js';
import { withConnections } from '../connect.js';
import { idOption } from '../options/ids.js';
import { type Json, jsonOption } from '../options/json.js';
import { limitOption, listNewest } from '../options/limit.js';
import { print } from '../output.js';

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
