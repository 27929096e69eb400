import type { Command } from 'commander';
import { type Change, listNewestChanges } from '@ringback/database';
import { requireAccount } from './account.js';
import { withConnections } from './connect.js';
import { parseId } from './id.js';
import { limitOption, listNewest } from './limit.js';
import { print } from './output.js';

type Options = { account?: string; limit: number; json?: boolean };

/** Adds the command `changes`, which lists who changed what, and when. */
export function addChangesCommand(program: Command): void {
  program
    .command('changes')
    .description('list the changes that customers and operators made, newest first')
    .option('--account <id>', 'only changes of this account (default: all changes)', parseId)
    .addOption(limitOption())
    .option('--json', 'print one JSON document')
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
