import { type Database, findAccount } from '@ringback/ledger';
import { OperatorError } from '@ringback/process';

/** Throws an OperatorError when the account that `--account` names does not exist. */
export async function requireAccount(db: Database, id: string): Promise<void> {
  if (!(await findAccount(db, id))) throw new OperatorError(`--account: there is no account ${id}`);
}
