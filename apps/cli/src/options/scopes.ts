import { InvalidArgumentError, Option } from 'commander';
import { aliasOf } from '@ringback/command-line';
import { type Scope, scopes } from '@ringback/database';

/** Creates the option `--scopes <list>`: what a token or a portal session may do. */
export const scopesOption = (): Option =>
  new Option(
    '--scopes <list>',
    `allowed calls: ${scopes.join(', ')} (repeatable or comma-separated; default: all)`,
  ).argParser(addScopes);

/** Creates the option `--scope <scope>`, another name of `--scopes`. */
export const scopeAlias = (): Option => aliasOf(scopesOption(), '--scope <scope>');

function addScopes(text: string, previous: Scope[] = []): Scope[] {
  const named = text.split(',').map((name) => scopes.find((scope) => scope === name.trim()));
  if (named.includes(undefined)) throw new InvalidArgumentError(`Allowed choices are ${scopes.join(', ')}.`);
  return [...previous, ...named.filter((scope) => scope !== undefined)];
}
