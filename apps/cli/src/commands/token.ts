import type { Command } from 'commander';
import {
  type AccessToken,
  createAccessToken,
  createPlatformToken,
  listAccessTokens,
  listPlatformTokens,
  type PlatformScope,
  type PlatformToken,
  revokeAccessToken,
  revokePlatformToken,
  type Scope,
} from '@ringback/ledger';
import { OperatorError } from '@ringback/process';
import {
  requireAccount,
  accountOption,
  idArgument,
  type Json,
  jsonOption,
  parseName,
  platformScopesOption,
  scopesOption,
} from '../options.js';
import { withConnections } from '../connect.js';
import { print } from '../output.js';

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
    .addOption(accountOption())
    .option('--name <name>', 'what the token is for', parseName)
    .addOption(scopesOption('token'))
    .addOption(jsonOption())
    .action(async ({ account, name, scopes, json }: Json & { account: string; name?: string; scopes?: Scope[] }) => {
      const created = await withConnections(({ db }) => createAccessToken(db, account, scopes, { name: name ?? null }));
      if (!created) throw new OperatorError(`--account: there is no account ${account}`);
      const { id, token: text, scopes: granted } = created;
      const named = name === undefined ? {} : { name };
      print({ id, account_id: account, ...named, access_token: text, scopes: granted }, { json });
    });
  token
    .command('list')
    .description("list an account's access tokens, newest first; only hashes of the tokens are stored")
    .addOption(accountOption())
    .addOption(jsonOption())
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
    .addOption(platformScopesOption())
    .addOption(jsonOption())
    .action(async ({ name, scope, json }: Json & { name: string; scope?: PlatformScope[] }) => {
      const created = await withConnections(({ db }) => createPlatformToken(db, { name, scopes: scope }));
      print({ id: created.id, name, platform_token: created.token, scopes: created.scopes }, { json });
    });
  token
    .command('list')
    .description('list the platform tokens, newest first; only hashes of the tokens are stored')
    .addOption(jsonOption())
    .action(async ({ json }: Json) => {
      const tokens = await withConnections(({ db }) => listPlatformTokens(db));
      print(tokens.map(platformTokenJson), { json });
    });
  addRevokeCommand(token, async (id) => {
    const revoked = await withConnections(({ db }) => revokePlatformToken(db, id));
    return revoked && platformTokenJson(revoked);
  });
}

function addRevokeCommand(parent: Command, revoke: (id: string) => Promise<Record<string, unknown> | null>): void {
  parent
    .command('revoke')
    .description('revoke a token; the API refuses it from then on')
    .addArgument(idArgument('token'))
    .addOption(jsonOption())
    .action(async (id: string, { json }: Json) => {
      const revoked = await revoke(id);
      if (!revoked) throw new OperatorError(`there is no ${parent.name()} ${id}`);
      print(revoked, { json });
    });
}

const accessTokenJson = ({ id, accountId, name, scopes, createdAt, revokedAt }: AccessToken) => ({
  id,
  account_id: accountId,
  ...(name === null ? {} : { name }),
  scopes,
  created_at: createdAt,
  revoked_at: revokedAt,
});

const platformTokenJson = ({ id, name, scopes, createdAt, revokedAt }: PlatformToken) => ({
  id,
  name,
  scopes,
  created_at: createdAt,
  revoked_at: revokedAt,
});
