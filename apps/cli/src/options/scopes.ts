import { InvalidArgumentError, Option } from 'commander';
import { aliasOf } from '@ringback/process/command-line';
import { type Scope, scopes } from '@ringback/ledger';

/** Creates the option `--scopes <list>`: the scopes of an access token or of a portal session. */
export const scopesOption = (holder: 'token' | 'session'): Option =>
  new Option(
    '--scopes <list>',
    `scopes of the ${holder}: ${scopes.join(', ')} (repeatable or comma-separated; default: all)`,
  ).argParser(addScopes);

/** Creates the option `--scope <scope>`, another name of `--scopes`. */
export const scopeAliasOption = (holder: 'token' | 'session'): Option =>
  aliasOf(scopesOption(holder), '--scope <scope>');

function addScopes(text: string, previous: Scope[] = []): Scope[] {
  const named = text.split(',').map((name) => scopes.find((scope) => scope === name.trim()));
  if (named.includes(undefined)) throw new InvalidArgumentError(`Allowed choices are ${scopes.join(', ')}.`);
  return [...previous, ...named.filter((scope) => scope !== undefined)];
}
