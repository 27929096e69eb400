import { Option } from 'commander';

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
