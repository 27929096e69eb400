import type { Command } from 'commander';
import { migrate } from '@ringback/ledger';
import { completeEnvironment } from '@ringback/process/command-line';
import { readConfig } from '@ringback/process';
import { reachDatabase } from '../connect.js';
import { type Json, jsonOption } from '../options/json.js';
import { print, printNotice } from '../output.js';

/** Adds the command `migrate`, which applies the pending migrations. After `npm start` none is pending. */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('apply the pending migrations to the database')
    .addOption(jsonOption())
    .action(async ({ json }: Json) => {
      const config = readConfig(completeEnvironment(process.env), ['DATABASE_URL', 'DATABASE_SCHEMA']);
      const options = { schema: config.DATABASE_SCHEMA, onWait: reportWait };
      const applied = await reachDatabase(() => migrate(config.DATABASE_URL, options));
      print(
        applied.map((migration) => ({ migration })),
        { json },
      );
    });
}

function reportWait(pid: number): void {
  printNotice(`ringback: waiting for PostgreSQL session ${pid}, which applies migrations`);
}
