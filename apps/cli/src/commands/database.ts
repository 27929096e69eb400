import type { Command } from 'commander';
import { migrate, reencryptSecrets, rebuildStatistics } from '@ringback/ledger';
import { completeEnvironment } from '@ringback/process/command-line';
import { readConfig, OperatorError } from '@ringback/process';
import { reachDatabase, withConnections } from '../connect.js';
import { type Json, jsonOption, parseTime } from '../options.js';
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

/** Adds the command `secrets rotate`. */
export function addSecretsCommands(program: Command): void {
  program
    .command('secrets')
    .description(
      'manage the encryption of stored secrets: webhook secrets, signing secrets, verification codes and callback tokens',
    )
    .command('rotate')
    .description(
      'encrypt all stored secrets with the first key of SECRETS_KEYS; exit code 1 when some could not be encrypted',
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

type Options = Json & { from?: Date; to?: Date };

/** Adds the command `statistics rebuild`. */
export function addStatisticsCommands(program: Command): void {
  program
    .command('statistics')
    .description('repair the statistics of accounts and webhooks')
    .command('rebuild')
    .description(
      'count the attempts and deliveries of a range of time again and replace its statistics. Workers and the API may ' +
        'run meanwhile. Hours before the last drop of partitions (RETENTION_DAYS) keep their statistics, because some ' +
        'of their attempts are gone. A delivery that ended several times without an attempt (skipped, resent and ' +
        'skipped again) counts once, because only its last end is kept',
    )
    .option(
      '--from <time>',
      'begin with the hour of this time, such as 2026-01-31T12:00:00Z (default: the oldest)',
      parseTime,
    )
    .option('--to <time>', 'end with the hour before this time (default: now)', parseTime)
    .addOption(jsonOption())
    .action(async ({ from, to, json }: Options) => {
      const range = { from: from ?? new Date(0), to: to ?? new Date() };
      const rebuilt = await withConnections(({ db }) => rebuildStatistics(db, range));
      if (from && rebuilt.from > from)
        printNotice(
          `ringback: the ledger has all attempts only since ${rebuilt.from.toISOString()}, where the rebuild begins`,
        );
      print({ ...rebuilt }, { json });
    });
}
