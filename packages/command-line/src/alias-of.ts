import { Option } from 'commander';

/**
 * Creates an option that sets the value of another one and is not shown in the help, such as the name that the option
 * had in an earlier version.
 */
export function aliasOf(option: Option, flags: string): Option {
  const alias = new Option(flags).hideHelp();
  if (option.parseArg) alias.argParser(option.parseArg);
  alias.attributeName = () => option.attributeName();
  return alias;
}
