import type { Command } from 'commander';
import { migrate } from '@ringback/database';
import { completeEnvironment } from '@ringback/command-line';
import { readConfig } from '@ringback/runtime';
import { reachDatabase } from './connect.js';
import { print } from './output.js';

/** Adds the command `migrate`, which applies the pending migrations. `npm start` applies them itself. */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('apply the pending migrations to the database')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: { json?: boolean }) => {
      const { DATABASE_URL: url } = readConfig(completeEnvironment(process.env), ['DATABASE_URL']);
      const applied = await reachDatabase(() => migrate(url));
      print(
        applied.map((migration) => ({ migration })),
        { json },
      );
    });
}
