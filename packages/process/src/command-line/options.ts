import { InvalidArgumentError, Option } from 'commander';
import { createStopHandler } from '../index.js';

/**
 * Creates an option that sets the value of another option and is not shown in the help. For example, the alias is the
 * name that the other option had in an earlier version.
 */
export function aliasOf(option: Option, flags: string): Option {
  const alias = new Option(flags).hideHelp();
  if (option.parseArg) alias.argParser(option.parseArg);
  alias.attributeName = () => option.attributeName();
  return alias;
}

/** Creates an argument parser for commander that accepts whole numbers from `min` to `max`. */
export const wholeNumber = (min: number, max: number) => (text: string) => {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < min || number > max)
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  return number;
};

/**
 * Creates an AbortSignal that aborts at the first SIGINT or SIGTERM, so that the command can finish. A further SIGINT
 * or SIGTERM is ignored within one second after the first one; later it ends the process at once, with exit code 1.
 */
export function createStopSignal(): AbortSignal {
  const controller = new AbortController();
  const onSignal = createStopHandler(
    () => controller.abort(),
    () => process.exit(1),
  );
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return controller.signal;
}
