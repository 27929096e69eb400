import { Option, Argument, InvalidArgumentError } from 'commander';
import {
  isUuid,
  type Delivery,
  type PlatformScope,
  platformScopes,
  type Scope,
  scopes,
  type Database,
  findAccount,
  findAccountOfWebhook,
} from '@ringback/ledger';
import { wholeNumber, readRunningService } from '@ringback/process/command-line';
import { hasAtMostCharacters, parseUrl } from '@ringback/rules';
import {
  addressOfBaseUrl,
  addressVariables,
  commandFor,
  OperatorError,
  parseTimestamp,
  type PublicAddress,
  readAddressSettings,
  readConfig,
} from '@ringback/process';
import { printNotice } from './output.js';

export type Json = { json?: boolean | undefined };

export const jsonOption = (): Option => new Option('--json', 'print one JSON document');

function parseId(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('It must be a UUID.');
  return text;
}

export const idOption = (flags: string, description: string): Option =>
  new Option(flags, description).argParser(parseId);

export const idsOption = (flags: string, description: string): Option =>
  new Option(flags, description).argParser((text, previous: string[] = []) => [...previous, parseId(text)]);

export const accountOption = (): Option => idOption('--account <id>', 'id of the account').makeOptionMandatory();

export const idArgument = (object: string): Argument => new Argument('<id>', `id of the ${object}`).argParser(parseId);

export function limitOption(): Option {
  return new Option('--limit <number>', 'maximum rows').default(50).argParser(wholeNumber(1, 10_000));
}

/** Lists at most `limit` rows, newest first. When there are more, a notice on stderr says so. */
export async function listNewest<T>(limit: number, list: (maxRows: number) => Promise<T[]>): Promise<T[]> {
  const rows = await list(limit + 1);
  if (rows.length > limit) printNotice(`ringback: only the newest ${limit} are listed; there are more (--limit)`);
  return rows.slice(0, limit);
}

/** An argument parser for names: 1 to 255 characters after trimming. */
export function parseName(text: string): string {
  const name = text.trim();
  if (name.length >= 1 && hasAtMostCharacters(name, 255)) return name;
  throw new InvalidArgumentError('It must have 1 to 255 characters.');
}

/** Parses a time for commander. A time without an offset is UTC. */
export function parseTime(text: string): Date {
  const time = parseTimestamp(text);
  if (time === null) throw new InvalidArgumentError('It must be a time such as 2026-01-31T12:00:00Z.');
  return time;
}

const finalStates = ['delivered', 'failed', 'skipped'] as const satisfies readonly Delivery['state'][];

/** A state in which a replay can send a delivery again. */
export type FinalState = (typeof finalStates)[number];

export const stateOption = (): Option =>
  new Option('--state <state>', 'only deliveries in this state').choices(['pending', ...finalStates]);

export const finalStatesOption = (): Option =>
  new Option('--state <list>', `only deliveries in these states: ${finalStates.join(', ')} (comma-separated)`)
    .default(['failed', 'skipped'], 'failed,skipped')
    .argParser(parseFinalStates);

function parseFinalStates(list: string): FinalState[] {
  const states = list.split(',').map((name) => finalStates.find((state) => state === name.trim()));
  const known = states.filter((state) => state !== undefined);
  if (known.length < states.length) throw new InvalidArgumentError(`Each must be one of ${finalStates.join(', ')}.`);
  return known;
}

export const scopesOption = (holder: 'token' | 'session'): Option =>
  new Option(
    '--scopes <list>',
    `scopes of the ${holder}: ${scopes.join(', ')} (repeatable or comma-separated; default: all)`,
  ).argParser(addScopes);

function addScopes(text: string, previous: Scope[] = []): Scope[] {
  const named = text.split(',').map((name) => scopes.find((scope) => scope === name.trim()));
  if (named.includes(undefined)) throw new InvalidArgumentError(`Allowed choices are ${scopes.join(', ')}.`);
  return [...previous, ...named.filter((scope) => scope !== undefined)];
}

export const platformScopesOption = (): Option =>
  new Option(
    '--scope <list>',
    `scopes of the token: ${platformScopes.join(', ')} (repeatable or comma-separated; default: events, portal)`,
  ).argParser(addPlatformScopes);

function addPlatformScopes(text: string, previous: PlatformScope[] = []): PlatformScope[] {
  const named = text.split(',').map((name) => platformScopes.find((scope) => scope === name.trim()));
  if (named.includes(undefined)) throw new InvalidArgumentError(`Allowed choices are ${platformScopes.join(', ')}.`);
  return [...previous, ...named.filter((scope) => scope !== undefined)];
}

export function baseUrlOption(description = 'base URL of the API'): Option {
  const fallback = `that of PUBLIC_URL or BASE_URL, or of the \`${commandFor('start')}\` that runs in this folder`;
  return new Option('--url <url>', `${description} (default: ${fallback})`).argParser(
    (text) => parseHttpUrl(text).href,
  );
}

/**
 * The address of the API: the given base URL, or that of the environment, or that of the `npm start` that runs in this
 * folder. Throws an OperatorError when there is none. No fixed URL is the default, because the access token would be
 * sent to whatever program uses its port.
 */
export function chooseAddress(given: string | undefined): PublicAddress {
  if (given !== undefined) return addressOfBaseUrl(given, readConfig(process.env, ['API_PATH']).API_PATH);
  const { publicUrl, apiPath } = readAddressSettings(readConfig(process.env, addressVariables));
  if (publicUrl !== undefined) return { publicUrl, baseUrl: `${publicUrl}${apiPath}` };
  const running = readRunningService();
  if (running?.publicUrl && running.baseUrl) return { publicUrl: running.publicUrl, baseUrl: running.baseUrl };
  const start = commandFor('start');
  throw new OperatorError(
    `the address of the API is unknown: give --url (or PUBLIC_URL), or run \`${start}\` in this folder`,
  );
}

/** An argument parser for http and https URLs. */
export function parseHttpUrl(text: string): URL {
  const url = parseUrl(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new InvalidArgumentError('It must be an http or https URL.');
}

/** Throws an OperatorError when the account that `--account` names does not exist. */
export async function requireAccount(db: Database, id: string): Promise<void> {
  if (!(await findAccount(db, id))) throw new OperatorError(`--account: there is no account ${id}`);
}

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
