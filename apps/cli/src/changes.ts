import type { Command } from 'commander';
import { type Change, listNewestChanges } from '@ringback/database';
import { requireAccount } from './account.js';
import { withConnections } from './connect.js';
import { parseId } from './id.js';
import { limitOption, newest } from './limit.js';
import { print } from './output.js';

type Options = { account?: string; limit: number; json?: boolean };

/** `changes`: who did what, when. */
export function addChangesCommand(program: Command): void {
  program
    .command('changes')
    .description('list what customers and operators changed, newest first')
    .option('--account <id>', 'of this account; of all, and of what belongs to none, otherwise', parseId)
    .addOption(limitOption())
    .option('--json', 'print one JSON document')
    .action(async ({ account, limit, json }: Options) => {
      const changes = await withConnections(async ({ db }) => {
        if (account !== undefined) await requireAccount(db, account);
        return newest(limit, (most) => listNewestChanges(db, { accountId: account ?? null, limit: most }));
      });
      print(changes.map(changeOf), { json });
    });
}

const changeOf = ({ id, accountId, at, actor, action, objectType, objectId, changed }: Change) => ({
  id,
  account_id: accountId,
  at,
  actor,
  action,
  object_type: objectType,
  object_id: objectId,
  changed,
});
