import { type Database, findAccountOfWebhook } from '@ringback/database';
import { OperatorError } from '@ringback/runtime';

type Condition = { accountId?: string | undefined; includeDeleted?: boolean };

/**
 * Throws an OperatorError if the webhook that `--webhook` names does not exist, or does not belong to the account
 * `accountId`.
 */
export async function requireWebhook(
  db: Database,
  id: string,
  { accountId, includeDeleted = false }: Condition,
): Promise<void> {
  const owner = await findAccountOfWebhook(db, id, { includeDeleted });
  if (owner === null) throw new OperatorError(`--webhook: there is no webhook ${id}`);
  if (accountId !== undefined && owner !== accountId) {
    throw new OperatorError(`--webhook: ${id} is a webhook of another account`);
  }
}
