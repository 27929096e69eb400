import type { z } from 'zod';
import { createNaming, defaultNaming, headerWithPrefix, type Naming } from '@ringback/rules';
import { readVersion } from './installation.js';
import type { Logger } from './logger.js';
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
  const usedName = nameInUse(name, env);
  const value = env[usedName] || undefined;
  const parsed = variables[name].safeParse(value);
  if (parsed.success) return parsed.data;
  const problem = value === undefined ? 'is required' : parsed.error.issues[0]?.message;
  throw new ConfigError(`${usedName} ${problem}`);
}

/** The variables with the names that receivers see. */
export const namingVariables = ['PRODUCT_NAME', 'HEADER_PREFIX', 'USER_AGENT', 'CALLBACK_HEADERS'] as const;

/** The names under which requests are sent. Throws a ConfigError if CALLBACK_HEADERS has a header of the prefix. */
export function readNaming(config: Config<(typeof namingVariables)[number]>): Naming {
  const { HEADER_PREFIX: headerPrefix, CALLBACK_HEADERS: callbackHeaders = defaultNaming.callbackHeaders } = config;
  const clash = headerWithPrefix(callbackHeaders, headerPrefix);
  if (clash !== undefined) throw new ConfigError(`CALLBACK_HEADERS must not set ${clash}, which has the HEADER_PREFIX`);
  const { PRODUCT_NAME: productName, USER_AGENT: userAgent } = config;
  return createNaming({ productName, headerPrefix, userAgent, callbackHeaders }, readVersion());
}

/** Old names of environment variables and the names that replace them. The next version drops the old names. */
export const renamedVariables = {
  SECRETS_KEY: 'SECRETS_KEYS',
  EGRESS_ALLOW: 'EGRESS_ALLOWED_CIDRS',
} as const satisfies Record<string, VariableName>;

const renames = Object.entries(renamedVariables);

/**
 * The name under which the environment sets a variable: an old name if only that one has a value, else the variable's
 * own name. Messages to the operator use it.
 */
export function nameInUse(name: VariableName, env: NodeJS.ProcessEnv = process.env): string {
  if (env[name]) return name;
  return renames.find(([oldName, newName]) => newName === name && env[oldName])?.[0] ?? name;
}

/** The same environment, with the values of old names under the new ones and without the old names. */
export function withNewNames(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const renamed = renames.flatMap(([oldName, name]) => [
    [name, env[nameInUse(name, env)] ?? env[oldName]] as const,
    [oldName, undefined] as const,
  ]);
  return { ...env, ...Object.fromEntries(renamed) };
}

/** Logs one warning for each old name in the environment. Call it once, when a process starts. */
export function warnOfRenamedVariables(env: NodeJS.ProcessEnv, log: Pick<Logger, 'warn'>): void {
  for (const [oldName, newName] of renames) {
    if (!env[oldName]) continue;
    log.warn('config.variable_renamed', {
      variable: oldName,
      new_name: newName,
      hint: env[newName] ? `${newName} is set too and wins; remove ${oldName}` : `set ${newName} instead of ${oldName}`,
    });
  }
}
