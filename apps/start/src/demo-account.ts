import { createAccessToken, createAccount, type Database, createTokenFinder, findAccount } from '@ringback/database';
import { readPrivate, writePrivate } from './private-file.js';

/** An account to try Ringback with, as `ringback account create --json` prints it. */
export type DemoAccount = { id: string; name: string; access_token: string; callback_token: string };

/**
 * The demo account of this folder. Made once; made anew when the database does not know it, with a new token when
 * its token was revoked.
 */
export async function provideDemoAccount(db: Database, path: string): Promise<DemoAccount> {
  const kept: unknown = readPrivate(path);
  if (isDemoAccount(kept) && (await findAccount(db, kept.id))) {
    if ((await createTokenFinder(db)(kept.access_token))?.accountId === kept.id) return kept;
    const renewed = await createAccessToken(db, kept.id);
    if (renewed) return keep(path, { ...kept, access_token: renewed.token });
  }
  const { id, name, accessToken, callbackToken } = await createAccount(db, { name: 'demo' });
  return keep(path, { id, name, access_token: accessToken, callback_token: callbackToken });
}

function keep(path: string, account: DemoAccount): DemoAccount {
  writePrivate(path, account);
  return account;
}

function isDemoAccount(value: unknown): value is DemoAccount {
  const fields = ['id', 'name', 'access_token', 'callback_token'];
  return (
    typeof value === 'object' &&
    value !== null &&
    fields.every((field) => typeof Reflect.get(value, field) === 'string')
  );
}
