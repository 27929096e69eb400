import type { Command } from 'commander';
import {
  type AccessToken,
  listAccessTokens,
  listPlatformTokens,
  type PlatformToken,
  revokeAccessToken,
  revokePlatformToken,
} from '@ringback/database';
import { StartError } from '@ringback/runtime';
import { requireAccount } from './account.js';
import { withConnections } from './connect.js';
import { print } from './output.js';

type Json = { json?: boolean | undefined };

/** `token list|revoke`, `platform-token list|revoke`, beside the `create` of both. */
export function addTokenCommands(program: Command): void {
  const token = commandOf(program, 'token');
  token
    .command('list')
    .description("list an account's access tokens, newest first; their texts are known to nobody")
    .requiredOption('--account <id>', 'id of the account')
    .option('--json', 'print one JSON document')
    .action(async ({ account, json }: Json & { account: string }) => {
      const tokens = await withConnections(async ({ db }) => {
        await requireAccount(db, account);
        return listAccessTokens(db, account);
      });
      print(tokens.map(accessTokenOf), { json });
    });
  addRevoke(token, async (id) => {
    const revoked = await withConnections(({ db }) => revokeAccessToken(db, id));
    return revoked && accessTokenOf(revoked);
  });

  const platformToken = commandOf(program, 'platform-token');
  platformToken
    .command('list')
    .description('list the platform tokens, newest first; their texts are known to nobody')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: Json) => {
      const tokens = await withConnections(({ db }) => listPlatformTokens(db));
      print(tokens.map(platformTokenOf), { json });
    });
  addRevoke(platformToken, async (id) => {
    const revoked = await withConnections(({ db }) => revokePlatformToken(db, id));
    return revoked && platformTokenOf(revoked);
  });
}

const commandOf = (program: Command, name: string) =>
  program.commands.find((command) => command.name() === name) ?? program.command(name);

function addRevoke(parent: Command, revoke: (id: string) => Promise<Record<string, unknown> | null>): void {
  parent
    .command('revoke')
    .description('end a token: from now on it is refused')
    .argument('<id>', 'id of the token')
    .option('--json', 'print one JSON document')
    .action(async (id: string, { json }: Json) => {
      const revoked = await revoke(id);
      if (!revoked) throw new StartError(`there is no ${parent.name()} ${id}`);
      print(revoked, { json });
    });
}

const accessTokenOf = ({ id, accountId, scopes, createdAt, revokedAt }: AccessToken) => ({
  id,
  account_id: accountId,
  scopes,
  created_at: createdAt,
  revoked_at: revokedAt,
});

const platformTokenOf = ({ id, name, createdAt, revokedAt }: PlatformToken) => ({
  id,
  name,
  created_at: createdAt,
  revoked_at: revokedAt,
});
