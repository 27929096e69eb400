import type { Command } from 'commander';
import { listWebhooks } from '@ringback/ledger';
import { requireAccount, accountOption, type Json, jsonOption, limitOption, listNewest } from '../options.js';
import { withConnections } from '../connect.js';
import { print } from '../output.js';

type Options = Json & { account: string; includeDeleted?: boolean; limit: number };

/**
 * Adds the command `webhook list`, which shows neither the secret nor the verification code. It shows the whole uri,
 * whose query may have a secret.
 */
export function addWebhookCommands(program: Command): void {
  program
    .command('webhook')
    .description('list webhooks, the registrations of receivers')
    .command('list')
    .description("list an account's webhooks, newest first")
    .addOption(accountOption())
    .option('--include-deleted', 'include deleted webhooks')
    .addOption(limitOption())
    .addOption(jsonOption())
    .action(async ({ account, includeDeleted = false, limit, json }: Options) => {
      const webhooks = await withConnections(async ({ db }) => {
        await requireAccount(db, account);
        return listNewest(limit, async (maxRows) => {
          const trashed = includeDeleted ? 'with' : 'without';
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
