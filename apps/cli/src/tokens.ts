import type { Command } from 'commander';
import {
  type AccessToken,
  listAccessTokens,
  listPlatformTokens,
  type PlatformToken,
  revokeAccessToken,
  revokePlatformToken,
} from '@ringback/database';
import { OperatorError } from '@ringback/runtime';
import { requireAccount } from './account.js';
import { withConnections } from './connect.js';
import { print } from './output.js';

type Json = { json?: boolean | undefined };

/** Adds the commands `token list|revoke` and `platform-token list|revoke`. */
export function addTokenCommands(program: Command): void {
  const token = findOrAddCommand(program, 'token');
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

  const platformToken = findOrAddCommand(program, 'platform-token');
  platformToken
    .command('list')
    .description('list the platform tokens, newest first, without their text: only hashes are stored')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: Json) => {
      const tokens = await withConnections(({ db }) => listPlatformTokens(db));
      print(tokens.map(platformTokenJson), { json });
    });
  addRevokeCommand(platformToken, async (id) => {
    const revoked = await withConnections(({ db }) => revokePlatformToken(db, id));
    return revoked && platformTokenJson(revoked);
  });
}

const findOrAddCommand = (program: Command, name: string) =>
  program.commands.find((command) => command.name() === name) ?? program.command(name);

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
