import type { Command } from 'commander';
import { listWebhooks } from '@ringback/database';
import { requireAccount } from './account.js';
import { withConnections } from './connect.js';
import { parseId } from './id.js';
import { limitOption, listNewest } from './limit.js';
import { print } from './output.js';

type Options = { account: string; deleted?: boolean; limit: number; json?: boolean };

/** Adds the command `webhook list`, which never shows secrets. */
export function addWebhookCommands(program: Command): void {
  program
    .command('webhook')
    .description('manage webhooks, the receivers of callbacks')
    .command('list')
    .description("list an account's webhooks, newest first")
    .requiredOption('--account <id>', 'id of the account', parseId)
    .option('--deleted', 'include deleted webhooks')
    .addOption(limitOption())
    .option('--json', 'print one JSON document')
    .action(async ({ account, deleted = false, limit, json }: Options) => {
      const webhooks = await withConnections(async ({ db }) => {
        await requireAccount(db, account);
        return listNewest(limit, async (maxRows) => {
          const trashed = deleted ? 'with' : 'without';
          return (await listWebhooks(db, account, { names: [], trashed, page: 1, perPage: maxRows })).webhooks;
        });
      });
      const rows = webhooks.map(({ id, name, uri, active, deletedAt, createdAt, updatedAt }) => ({
        id,
        name,
        uri,
        status: active ? '1' : '0',
        created_at: createdAt,
        updated_at: updatedAt,
        deleted_at: deletedAt,
      }));
      print(rows, { json });
    });
}
