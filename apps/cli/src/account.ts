import { type Database, findAccount } from '@ringback/database';
import { StartError } from '@ringback/runtime';

/** Throws unless there is the account that `--account` names. */
export async function requireAccount(db: Database, id: string): Promise<void> {
  if (!(await findAccount(db, id))) throw new StartError(`--account: there is no account ${id}`);
}
