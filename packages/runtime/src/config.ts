import type { z } from 'zod';
import { findOldName } from './renamed-variables.js';
import { type VariableName, variables } from './variables.js';

/** An invalid environment variable. The message is one line that names the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Config<N extends VariableName> = Pick<{ [V in VariableName]: z.output<(typeof variables)[V]> }, N>;

/**
 * Reads and validates the named environment variables. An empty variable counts as absent, and an old name is read when
 * its new name is absent. Throws a ConfigError that names the first invalid variable.
 */
export function readConfig<N extends VariableName>(env: NodeJS.ProcessEnv, names: readonly N[]): Config<N> {
  const values = Object.fromEntries(names.map((name) => [name, readVariable(env, name)]));
  // Object.fromEntries loses the type of each name; `names` and `variables` guarantee it.
  return values as Config<N>;
}

function readVariable(env: NodeJS.ProcessEnv, name: VariableName): unknown {
  const usedName = findOldName(env, name) ?? name;
  const value = env[usedName] || undefined;
  const parsed = variables[name].safeParse(value);
  if (parsed.success) return parsed.data;
  const problem = value === undefined ? 'is required' : parsed.error.issues[0]?.message;
  throw new ConfigError(`${usedName} ${problem}`);
}
