import type { Command } from 'commander';
import { rebuildStatistics } from '@ringback/ledger';
import { withConnections } from '../connect.js';
import { type Json, jsonOption, parseTime } from '../options.js';
import { print, printNotice } from '../output.js';

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
