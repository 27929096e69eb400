import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type Account,
  type AccountStatus,
  accountStatuses,
  type AccountUpdate,
  type Change,
  createAccount,
  deleteAccount,
  ExternalIdTakenError,
  findAccount,
  listAccounts,
  listNewestChanges,
  PendingDeliveriesError,
  rotateCallbackToken,
  setOtherInstallation,
  statusOf,
  updateAccount,
  wakeAccount,
} from '@ringback/ledger';
import { OperatorError } from '@ringback/process';
import { hasAtMostCharacters } from '@ringback/rules';
import { withConnections } from '../connect.js';
import {
  idArgument,
  idOption,
  type Json,
  jsonOption,
  limitOption,
  listNewest,
  parseName,
  parseHttpUrl,
  requireAccount,
} from '../options.js';
import { print } from '../output.js';

/** Adds the commands `account create|list|show|update|suspend|activate|delete|callback-token`. */
export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('manage accounts, the customers of the messaging platform');
  account
    .command('create')
    .description('create an account with a callback token and an access token')
    .requiredOption('--name <name>', 'name of the account', parseName)
    .addOption(externalIdOption())
    .addOption(jsonOption())
    .action(async ({ name, externalId, json }: Json & { name: string; externalId?: string }) => {
      const creating = withConnections(({ db }) =>
        createAccount(db, { name, externalId }).catch(rethrowExternalIdError),
      );
      const { id, accessToken, callbackToken } = await creating;
      print({ id, name, access_token: accessToken, callback_token: callbackToken }, { json });
    });
  account
    .command('list')
    .description('list the accounts, newest first')
    .option('--name <text>', 'only accounts whose name has this text, whatever the case')
    .addOption(externalIdOption('only the account with this external id'))
    .addOption(new Option('--status <status>', 'only accounts with this status').choices(accountStatuses))
    .addOption(limitOption())
    .addOption(jsonOption())
    .action(async ({ name, externalId, status, limit, json }: ListOptions) => {
      const filter = { names: name === undefined ? undefined : [name], externalId, status, cursor: null };
      const accounts = await withConnections(({ db }) =>
        listNewest(limit, async (maxRows) => (await listAccounts(db, { ...filter, perPage: maxRows })).accounts),
      );
      print(accounts.map(accountJson), { json });
    });
  account
    .command('show')
    .description('show an account')
    .addArgument(idArgument('account'))
    .addOption(jsonOption())
    .action(async (id: string, { json }: Json) => {
      print(accountJson(required(await withConnections(({ db }) => findAccount(db, id)), id)), { json });
    });
  addChangingCommands(account);
}

type ListOptions = Json & { name?: string; externalId?: string; status?: AccountStatus; limit: number };

function addChangingCommands(account: Command): void {
  account
    .command('update')
    .description('change the name, the external id or the other installation of an account')
    .addArgument(idArgument('account'))
    .option('--name <name>', 'new name of the account', parseName)
    .addOption(externalIdOption('new external id of the account; "" removes it'))
    .option(
      '--other-installation <url>',
      'where the other half of its history is, after a move; "" removes it',
      parseOther,
    )
    .addOption(jsonOption())
    .action(updateFields);
  account
    .command('suspend')
    .description('refuse the tokens and events of an account, and let its deliveries wait')
    .addArgument(idArgument('account'))
    .addOption(jsonOption())
    .action((id: string, { json }: Json) => update(id, { status: 'suspended' }, json));
  account
    .command('activate')
    .description('end the suspension of an account')
    .addArgument(idArgument('account'))
    .addOption(jsonOption())
    .action((id: string, { json }: Json) => update(id, { status: 'active' }, json));
  account
    .command('delete')
    .description('delete an account with its tokens, portal sessions, webhooks and subscriptions')
    .addArgument(idArgument('account'))
    .option('--force', 'also end its pending deliveries, as skipped')
    .addOption(jsonOption())
    .action(async (id: string, { force, json }: Json & { force?: true }) => {
      const deleting = withConnections(({ db }) =>
        deleteAccount(db, id, { force: force === true }).catch(rethrowPendingError),
      );
      required((await deleting) || null, id);
      print({ id, deleted: true }, { json });
    });
  account
    .command('callback-token')
    .description('replace the callback token of an account; callbacks have the new one from the next attempt on')
    .addArgument(idArgument('account'))
    .addOption(jsonOption())
    .action(async (id: string, { json }: Json) => {
      const rotated = required(await withConnections(({ db }) => rotateCallbackToken(db, id)), id);
      print({ id: rotated.account.id, callback_token: rotated.callbackToken }, { json });
    });
}

const parseOther = (text: string) => (text === '' ? null : parseHttpUrl(text).href);

type UpdateOptions = Json & { name?: string; externalId?: string; otherInstallation?: string | null };

async function updateFields(id: string, { name, externalId, otherInstallation, json }: UpdateOptions): Promise<void> {
  if (name === undefined && externalId === undefined && otherInstallation === undefined)
    throw new OperatorError('give --name, --external-id or --other-installation');
  if (otherInstallation !== undefined)
    required(await withConnections(({ db }) => setOtherInstallation(db, id, otherInstallation)), id);
  await update(id, { name, externalId: externalId === '' ? null : externalId }, json);
}

async function update(id: string, changes: AccountUpdate, json: boolean | undefined): Promise<void> {
  const updated = await withConnections(async ({ db, waker }) => {
    const result = await updateAccount(db, id, changes).catch(rethrowExternalIdError);
    if (result?.isActivated) await wakeAccount(db, waker, id);
    return result;
  });
  print(accountJson(required(updated, id).account), { json });
}

const externalIdOption = (description = "the platform's own id of the customer") =>
  new Option('--external-id <id>', description).argParser((text) => {
    if (!hasAtMostCharacters(text, 255)) throw new InvalidArgumentError('It must have at most 255 characters.');
    return text.trim();
  });

function required<T>(found: T | null, id: string): T {
  if (found === null) throw new OperatorError(`there is no account ${id}`);
  return found;
}

function rethrowExternalIdError(error: unknown): never {
  throw error instanceof ExternalIdTakenError ? new OperatorError('--external-id: another account has it') : error;
}

function rethrowPendingError(error: unknown): never {
  if (!(error instanceof PendingDeliveriesError)) throw error;
  throw new OperatorError('the account has pending deliveries; with --force they end as skipped');
}

const accountJson = (account: Account) => ({
  id: account.id,
  name: account.name,
  external_id: account.externalId,
  status: statusOf(account),
  ...(account.otherInstallation === null ? {} : { other_installation: account.otherInstallation }),
  ...(account.theme === null ? {} : { theme: account.theme }),
  created_at: account.createdAt,
  updated_at: account.updatedAt,
});

type Options = Json & { account?: string; limit: number };

/** Adds the command `changes`, which lists who changed what, and when. */
export function addChangesCommand(program: Command): void {
  program
    .command('changes')
    .description('list the changes that customers and operators made, newest first')
    .addOption(idOption('--account <id>', 'only changes of this account (default: all changes)'))
    .addOption(limitOption())
    .addOption(jsonOption())
    .action(async ({ account, limit, json }: Options) => {
      const changes = await withConnections(async ({ db }) => {
        if (account !== undefined) await requireAccount(db, account);
        return listNewest(limit, (maxRows) => listNewestChanges(db, { accountId: account ?? null, limit: maxRows }));
      });
      print(changes.map(toJson), { json });
    });
}

const toJson = ({ id, accountId, at, actor, action, objectType, objectId, changed }: Change) => ({
  id,
  account_id: accountId,
  at,
  actor,
  action,
  object_type: objectType,
  object_id: objectId,
  changed,
});
