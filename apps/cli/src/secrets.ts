import type { Command } from 'commander';
import { reencryptSecrets } from '@ringback/database';
import { OperatorError } from '@ringback/runtime';
import { withConnections } from './connect.js';
import { print } from './output.js';

/** Adds the command `secrets rotate`. */
export function addSecretsCommands(program: Command): void {
  program
    .command('secrets')
    .description('manage the encryption of webhook secrets, verification codes and callback tokens')
    .command('rotate')
    .description('encrypt all of them with the first key of SECRETS_KEY; exit code 1 when some could not be encrypted')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: { json?: boolean }) => {
      const counts = await withConnections(({ db }) => reencryptSecrets(db));
      if (!counts) throw new OperatorError('another rotation is running');
      print(counts, { json });
      if (counts.left > 0) process.exitCode = 1;
    });
}
