import type { Command } from 'commander';
import { findRoot } from '@ringback/process';

const programs = {
  start: 'start everything in this folder: PostgreSQL (unless DATABASE_URL is set), the API and a worker',
  api: 'start an API process',
  worker: 'start a worker process',
};

/**
 * Adds the commands that run Ringback's other programs in this process. `scripts/ringback.cjs` runs `sandbox`, and the
 * others without arguments, without loading this command line. So these commands are for the help, for wrong arguments,
 * and for `npm run ringback`.
 */
export function addProgramCommands(program: Command): void {
  for (const [name, description] of Object.entries(programs)) {
    program
      .command(name)
      .description(description)
      .action(() => runProgram(name, []));
  }
  program
    .command('sandbox')
    .description('tools to try Ringback: a receiver, and a source of sample events')
    .helpOption(false)
    .allowUnknownOption()
    .argument('[args...]')
    .action((args: string[]) => runProgram('sandbox', args));
}

async function runProgram(app: string, args: string[]): Promise<void> {
  const main = new URL(`apps/${app}/dist/main.js`, findRoot());
  process.argv = [process.execPath, main.pathname, ...args];
  await import(main.href);
}
