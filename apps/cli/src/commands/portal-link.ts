import type { Command } from 'commander';
import { wholeNumber } from '@ringback/process/command-line';
import {
  maxPortalSessions,
  type NewPortalSession,
  createPortalSession,
  type Scope,
  scopes as allScopes,
  TooManyPortalSessionsError,
  UnknownWebhooksError,
} from '@ringback/ledger';
import { OperatorError, portalLink } from '@ringback/process';
import {
  baseUrlOption,
  chooseAddress,
  accountOption,
  idsOption,
  type Json,
  jsonOption,
  parseName,
  scopesOption,
} from '../options.js';
import { withConnections } from '../connect.js';
import { print, printLine } from '../output.js';

type Options = Json & {
  account: string;
  scopes?: Scope[];
  webhook?: string[];
  expiresIn: number;
  actor?: string;
  mask?: true;
  url?: string;
};

/** Adds `portal-link`, which creates a session of the portal. */
export function addPortalLinkCommand(program: Command): void {
  program
    .command('portal-link')
    .description('create a session of the portal for one person, and print its link')
    .addOption(accountOption())
    .addOption(scopesOption('session'))
    .addOption(
      idsOption(
        '--webhook <ids...>',
        'ids of the webhooks that the session is restricted to (default: all of the account)',
      ),
    )
    .option('--expires-in <seconds>', 'seconds until the session ends, 60 to 3600', wholeNumber(60, 3_600), 900)
    .option('--actor <text>', 'name of the person, for the change history', parseName)
    .option('--mask', 'mask phone numbers until the person shows them')
    .addOption(baseUrlOption())
    .addOption(jsonOption())
    .action(async (options: Options) => {
      const address = chooseAddress(options.url);
      const { id, linkToken, expiresAt } = await createSession(options);
      const url = portalLink(address, linkToken);
      if (options.json) print({ id, url, expires_at: expiresAt }, { json: true });
      else printLine(url);
    });
}

async function createSession({ account, scopes = [...allScopes], webhook, expiresIn, actor, mask }: Options) {
  const session: NewPortalSession = {
    scopes,
    webhookIds: webhook ?? null,
    expiresInS: expiresIn,
    portalUserName: actor ?? null,
    maskPhoneNumbers: mask ?? false,
    theme: null,
    returnUrl: null,
    creatorId: null,
  };
  const created = await withConnections(({ db }) => createPortalSession(db, account, session)).catch(
    rethrowAsOperatorError,
  );
  if (!created) throw new OperatorError(`--account: there is no account ${account}`);
  return created;
}

function rethrowAsOperatorError(error: unknown): never {
  if (error instanceof UnknownWebhooksError)
    throw new OperatorError('--webhook: the account has no such webhook, or it is deleted');
  if (error instanceof TooManyPortalSessionsError)
    throw new OperatorError(`the account has ${maxPortalSessions} sessions of the portal that have not ended`);
  throw error;
}
