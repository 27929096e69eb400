import type { Command } from 'commander';
import { resealSecrets } from '@ringback/database';
import { StartError } from '@ringback/runtime';
import { withConnections } from './connect.js';
import { print } from './output.js';

/** `secrets rotate`. */
export function addSecretsCommands(program: Command): void {
  program
    .command('secrets')
    .description('webhook secrets, verification codes and callback tokens in the database')
    .command('rotate')
    .description('seal everything with the first key of SECRETS_KEY; exit code 1 when something is left that is not')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: { json?: boolean }) => {
      const counts = await withConnections(({ db }) => resealSecrets(db));
      if (!counts) throw new StartError('another rotation is under way');
      print(counts, { json });
      if (counts.left > 0) process.exitCode = 1;
    });
}
