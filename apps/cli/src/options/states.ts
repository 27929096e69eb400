import { InvalidArgumentError, Option } from 'commander';
import { aliasOf } from '@ringback/process/command-line';
import type { Delivery } from '@ringback/ledger';

const finalStates = ['delivered', 'failed', 'skipped'] as const satisfies readonly Delivery['state'][];

/** A state in which a replay can send a delivery again. */
export type FinalState = (typeof finalStates)[number];

/** Creates the option `--state <state>`: one state of a delivery. */
export const stateOption = (): Option =>
  new Option('--state <state>', 'only deliveries in this state').choices(['pending', ...finalStates]);

/** Creates the option `--state <list>`: the states of the deliveries that are sent again, separated by commas. */
export const finalStatesOption = (): Option =>
  new Option('--state <list>', `only deliveries in these states: ${finalStates.join(', ')} (comma-separated)`)
    .default(['failed', 'skipped'], 'failed,skipped')
    .argParser(parseFinalStates);

/** Creates the option `--status <list>`, another name of `--state <list>`. */
export const statusAliasOption = (): Option => aliasOf(finalStatesOption(), '--status <list>');

function parseFinalStates(list: string): FinalState[] {
  const states = list.split(',').map((name) => finalStates.find((state) => state === name.trim()));
  const known = states.filter((state) => state !== undefined);
  if (known.length < states.length) throw new InvalidArgumentError(`Each must be one of ${finalStates.join(', ')}.`);
  return known;
}
