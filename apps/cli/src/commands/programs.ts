import type { Command } from 'commander';
import { findRoot } from '@ringback/process';

const mainOf = (app: 'api' | 'worker') => new URL(`apps/${app}/dist/main.js`, findRoot()).href;

/**
 * Adds the commands that run Ringback's programs in this process. `scripts/ringback.cjs` runs them without loading this
 * command line, which would take memory. So these commands are for the help, for wrong arguments, and for
 * `npm run ringback`.
 */
export function addProgramCommands(program: Command): void {
  program
    .command('start')
    .description('start everything in this folder: PostgreSQL (unless DATABASE_URL is set), the API and a worker')
    .action(async () => void (await import('../dev/main.js')));
  program
    .command('api')
    .description('start an API process')
    .action(async () => void (await import(mainOf('api'))));
  program
    .command('worker')
    .description('start a worker process')
    .action(async () => void (await import(mainOf('worker'))));
}
