import { Argument, InvalidArgumentError, Option } from 'commander';
import { isUuid } from '@ringback/ledger';

/** An argument parser for ids that are UUIDs. */
export function parseId(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('It must be a UUID.');
  return text;
}

/** Creates an option whose value is an id, such as `--webhook <id>`. */
export const idOption = (flags: string, description: string): Option =>
  new Option(flags, description).argParser(parseId);

/** Creates an option whose value is several ids, such as `--webhook <ids...>`. */
export const idsOption = (flags: string, description: string): Option =>
  new Option(flags, description).argParser((text, previous: string[] = []) => [...previous, parseId(text)]);

/** Creates the required option `--account <id>`. */
export const accountOption = (): Option => idOption('--account <id>', 'id of the account').makeOptionMandatory();

/** Creates the argument `<id>` of a command for one object, such as a delivery. */
export const idArgument = (object: string): Argument => new Argument('<id>', `id of the ${object}`).argParser(parseId);
