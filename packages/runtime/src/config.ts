import type { z } from 'zod';
import { type VariableName, variables } from './variables.js';

/** A wrong setting: the message is one line for the operator and names the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Config<N extends VariableName> = Pick<{ [V in VariableName]: z.output<(typeof variables)[V]> }, N>;

/**
 * Reads the named variables. An empty one counts as absent. Throws a ConfigError that names the first wrong variable.
 */
export function readConfig<N extends VariableName>(env: NodeJS.ProcessEnv, names: readonly N[]): Config<N> {
  const values = Object.fromEntries(names.map((name) => [name, readVariable(name, env[name] || undefined)]));
  // Object.fromEntries forgets which name has which type; `names` and `variables` say it.
  return values as Config<N>;
}

function readVariable(name: VariableName, value: string | undefined): unknown {
  const parsed = variables[name].safeParse(value);
  if (parsed.success) return parsed.data;
  const complaint = value === undefined ? 'is required' : parsed.error.issues[0]?.message;
  throw new ConfigError(`${name} ${complaint}`);
}
