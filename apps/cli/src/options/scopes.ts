import { InvalidArgumentError } from 'commander';
import { type Scope, scopes } from '@ringback/database';

/** An argument parser for scopes, repeated or separated by commas. */
export function addScopes(text: string, previous: Scope[] = []): Scope[] {
  const named = text.split(',').map((name) => scopes.find((scope) => scope === name.trim()));
  if (named.includes(undefined)) throw new InvalidArgumentError(`Allowed choices are ${scopes.join(', ')}.`);
  return [...previous, ...named.filter((scope) => scope !== undefined)];
}
