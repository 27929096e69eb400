import { type Database, findAccountOfWebhook } from '@ringback/ledger';
import { OperatorError } from '@ringback/process';

type WebhookConditions = { accountId?: string | undefined; includeDeleted?: boolean };

/**
 * Throws an OperatorError if the webhook that `--webhook` names does not exist, is deleted (unless `includeDeleted`),
 * or belongs to another account than `accountId`.
 */
export async function requireWebhook(
  db: Database,
  id: string,
  { accountId, includeDeleted = false }: WebhookConditions,
): Promise<void> {
  const owner = await findAccountOfWebhook(db, id, { includeDeleted });
  if (owner === null) throw new OperatorError(`--webhook: there is no webhook ${id}`);
  if (accountId !== undefined && owner !== accountId) {
    throw new OperatorError(`--webhook: ${id} is a webhook of another account`);
  }
}
