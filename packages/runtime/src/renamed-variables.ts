import type { Logger } from './logger.js';
import type { VariableName } from './variables.js';

/** Old names of environment variables and the names that replace them. The next version drops the old names. */
export const renamedVariables = {
  RETRY_AFTER: 'HONOR_RETRY_AFTER',
  PAUSE_GONE: 'PAUSE_ON_410',
} as const satisfies Record<string, VariableName>;

const renames = Object.entries(renamedVariables);

/** The old name under which the environment sets a variable. Undefined if only the new name is set, or neither. */
export function findOldName(env: NodeJS.ProcessEnv, name: VariableName): string | undefined {
  if (env[name]) return undefined;
  return renames.find(([oldName, newName]) => newName === name && env[oldName])?.[0];
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
