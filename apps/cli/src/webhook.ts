import { type Database, findWebhookOwner } from '@ringback/database';
import { StartError } from '@ringback/runtime';

type Which = { accountId?: string | undefined; deletedToo?: boolean };

/** Throws unless there is the webhook that `--webhook` names, and it is that account's when one is given. */
export async function requireWebhook(
  db: Database,
  id: string,
  { accountId, deletedToo = false }: Which,
): Promise<void> {
  const owner = await findWebhookOwner(db, id, { deletedToo });
  if (owner === null) throw new StartError(`--webhook: there is no webhook ${id}`);
  if (accountId !== undefined && owner !== accountId) {
    throw new StartError(`--webhook: ${id} is a webhook of another account`);
  }
}
