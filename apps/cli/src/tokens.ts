import { type Command, InvalidArgumentError } from 'commander';
import {
  type AccessToken,
  createAccessToken,
  createPlatformToken,
  listAccessTokens,
  listPlatformTokens,
  type PlatformToken,
  revokeAccessToken,
  revokePlatformToken,
  type Scope,
  scopes,
} from '@ringback/database';
import { OperatorError } from '@ringback/runtime';
import { requireAccount } from './account.js';
import { parseName } from './accounts.js';
import { withConnections } from './connect.js';
import { parseId } from './id.js';
import { print } from './output.js';

type Json = { json?: boolean | undefined };

/** Adds the commands `token create|list|revoke` and `platform-token create|list|revoke`. */
export function addTokenCommands(program: Command): void {
  addAccessTokenCommands(program.command('token').description('manage the access tokens of accounts'));
  addPlatformTokenCommands(
    program.command('platform-token').description('manage platform tokens, with which platforms push events over HTTP'),
  );
}

function addAccessTokenCommands(token: Command): void {
  token
    .command('create')
    .description('create another access token for an account')
    .requiredOption('--account <id>', 'id of the account', parseId)
    .option(
      '--scope <scope>',
      'allowed calls: read, write, replay (repeatable or comma-separated; default: all)',
      addScopes,
    )
    .option('--json', 'print one JSON document')
    .action(async ({ account, scope, json }: Json & { account: string; scope?: Scope[] }) => {
      const created = await withConnections(({ db }) => createAccessToken(db, account, scope));
      if (!created) throw new OperatorError(`--account: there is no account ${account}`);
      print({ id: created.id, account_id: account, access_token: created.token, scopes: created.scopes }, { json });
    });
  token
    .command('list')
    .description("list an account's access tokens, newest first, without their text: only hashes are stored")
    .requiredOption('--account <id>', 'id of the account')
    .option('--json', 'print one JSON document')
    .action(async ({ account, json }: Json & { account: string }) => {
      const tokens = await withConnections(async ({ db }) => {
        await requireAccount(db, account);
        return listAccessTokens(db, account);
      });
      print(tokens.map(accessTokenJson), { json });
    });
  addRevokeCommand(token, async (id) => {
    const revoked = await withConnections(({ db }) => revokeAccessToken(db, null, id));
    return revoked && accessTokenJson(revoked);
  });
}

function addPlatformTokenCommands(token: Command): void {
  token
    .command('create')
    .description('create a platform token')
    .option('--name <name>', 'name of the token', parseName, 'platform')
    .option('--json', 'print one JSON document')
    .action(async ({ name, json }: Json & { name: string }) => {
      const created = await withConnections(({ db }) => createPlatformToken(db, { name }));
      print({ id: created.id, name, platform_token: created.token }, { json });
    });
  token
    .command('list')
    .description('list the platform tokens, newest first, without their text: only hashes are stored')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: Json) => {
      const tokens = await withConnections(({ db }) => listPlatformTokens(db));
      print(tokens.map(platformTokenJson), { json });
    });
  addRevokeCommand(token, async (id) => {
    const revoked = await withConnections(({ db }) => revokePlatformToken(db, id));
    return revoked && platformTokenJson(revoked);
  });
}

/** An argument parser for scopes, repeated or separated by commas. */
export function addScopes(text: string, previous: Scope[] = []): Scope[] {
  const named = text.split(',').map((name) => scopes.find((scope) => scope === name.trim()));
  if (named.includes(undefined)) throw new InvalidArgumentError(`Allowed choices are ${scopes.join(', ')}.`);
  return [...previous, ...named.filter((scope) => scope !== undefined)];
}

function addRevokeCommand(parent: Command, revoke: (id: string) => Promise<Record<string, unknown> | null>): void {
  parent
    .command('revoke')
    .description('revoke a token: from now on it is refused')
    .argument('<id>', 'id of the token')
    .option('--json', 'print one JSON document')
    .action(async (id: string, { json }: Json) => {
      const revoked = await revoke(id);
      if (!revoked) throw new OperatorError(`there is no ${parent.name()} ${id}`);
      print(revoked, { json });
    });
}

const accessTokenJson = ({ id, accountId, scopes, createdAt, revokedAt }: AccessToken) => ({
  id,
  account_id: accountId,
  scopes,
  created_at: createdAt,
  revoked_at: revokedAt,
});

const platformTokenJson = ({ id, name, createdAt, revokedAt }: PlatformToken) => ({
  id,
  name,
  created_at: createdAt,
  revoked_at: revokedAt,
});
