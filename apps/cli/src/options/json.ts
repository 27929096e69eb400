import { Option } from 'commander';

/** The value of the option that `jsonOption` creates. */
export type Json = { json?: boolean | undefined };

/** Creates the option `--json`, with which a command prints its result as one JSON document. */
export const jsonOption = (): Option => new Option('--json', 'print one JSON document');
