import { type Database, findWebhookOwner } from '@ringback/database';
import { OperatorError } from '@ringback/runtime';

type Condition = { accountId?: string | undefined; deletedToo?: boolean };

/**
 * Throws an OperatorError when the webhook that `--webhook` names does not exist, or belongs to another account than
 * `accountId`.
 */
export async function requireWebhook(
  db: Database,
  id: string,
  { accountId, deletedToo = false }: Condition,
): Promise<void> {
  const owner = await findWebhookOwner(db, id, { deletedToo });
  if (owner === null) throw new OperatorError(`--webhook: there is no webhook ${id}`);
  if (accountId !== undefined && owner !== accountId) {
    throw new OperatorError(`--webhook: ${id} is a webhook of another account`);
  }
}
