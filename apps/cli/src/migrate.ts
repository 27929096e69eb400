import type { Command } from 'commander';
import { migrate } from '@ringback/database';
import { joinRunning, readConfig } from '@ringback/runtime';
import { reachDatabase, root } from './connect.js';
import { print } from './output.js';

/** `migrate`: brings the database up to date. `npm start` does the same by itself. */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('apply the migrations that the database does not have yet')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: { json?: boolean }) => {
      const { DATABASE_URL: url } = readConfig(joinRunning(process.env, root), ['DATABASE_URL']);
      const applied = await reachDatabase(() => migrate(url));
      print(
        applied.map((migration) => ({ migration })),
        { json },
      );
    });
}
