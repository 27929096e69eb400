import type { Command } from 'commander';
import { reencryptSecrets } from '@ringback/ledger';
import { OperatorError } from '@ringback/process';
import { withConnections } from '../connect.js';
import { type Json, jsonOption } from '../options/json.js';
import { print } from '../output.js';

/** Adds the command `secrets rotate`. */
export function addSecretsCommands(program: Command): void {
  program
    .command('secrets')
    .description(
      'manage the encryption of stored secrets: webhook secrets, signing secrets, verification codes and callback tokens',
    )
    .command('rotate')
    .description(
      'encrypt all stored secrets with the first key of SECRETS_KEY; exit code 1 when some could not be encrypted',
    )
    .addOption(jsonOption())
    .action(async ({ json }: Json) => {
      const counts = await withConnections(({ db }) => reencryptSecrets(db));
      if (!counts) throw new OperatorError('another rotation is running');
      const { encrypted, left, unreadable } = counts;
      print({ encrypted, left, unreadable }, { json });
      if (counts.left > 0) process.exitCode = 1;
    });
}
