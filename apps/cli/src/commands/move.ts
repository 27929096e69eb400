import { existsSync } from 'node:fs';
import { Argument, type Command } from 'commander';
import { exportLines, Importer } from '@ringback/ledger';
import { OperatorError, readConfig } from '@ringback/process';
import { completeEnvironment, createProgress } from '@ringback/process/command-line';
import { withConnections } from '../connect.js';
import { FileImport, type ImportSummary, withInputFile } from '../moving/import-file.js';
import { idOption, type Json, jsonOption, parseTime, requireAccount } from '../options.js';
import { print, printJsonLine, printNotice } from '../output.js';

/** Adds the commands `import` and `export`. */
export function addMoveCommands(program: Command): void {
  program
    .command('import')
    .description('store accounts, access tokens, webhooks, subscriptions and event keys with their ids, from NDJSON')
    .addArgument(new Argument('[file]', 'NDJSON file, - for standard input').default('-'))
    .option('--dry-run', 'check all lines against the database, and store nothing')
    .addOption(jsonOption())
    .action(importFile);
  program
    .command('export')
    .description('print accounts, access tokens, webhooks, subscriptions and event keys as NDJSON, which import reads')
    .addOption(idOption('--account <id>', 'only this account (default: all)'))
    .option('--with-secrets', 'include secrets and access tokens: what an import needs to go on as before')
    .option('--since <time>', 'of the event keys, only those received at this time or later', parseTime)
    .action(exportAll);
}

async function importFile(file: string, { dryRun = false, json }: Json & { dryRun?: boolean }): Promise<void> {
  if (file !== '-' && !existsSync(file)) throw new OperatorError(`there is no file ${file}`);
  const names = ['EGRESS_ALLOWED_CIDRS', 'NAT64_PREFIXES'] as const;
  const settings = readConfig(completeEnvironment(process.env), names);
  const allowList = settings.EGRESS_ALLOWED_CIDRS.withNat64Prefixes(settings.NAT64_PREFIXES);
  const progress = createProgress(process.stderr, 4);
  let current = '';
  const onProgress = (stage: string, lineCount: number, fraction: number) => {
    if (stage !== current) progress.startPart(stage);
    else progress.setStep(`${lineCount} lines`, fraction);
    current = stage;
  };
  try {
    const summary = await withInputFile(file, (path) =>
      withConnections(({ db }) =>
        Importer.run(db, { isDryRun: dryRun }, (importer) => {
          const deps = { importer, allowList, onProgress };
          const onRemark = (remark: ImportSummary['refused'][number], isWarning: boolean) => {
            progress.clear();
            const { line, type, reason } = remark;
            printNotice(`line ${line}: ${type}: ${isWarning ? 'warning: ' : ''}${reason}`);
          };
          return new FileImport({ ...deps, onRemark }, path).run();
        }),
      ),
    );
    progress.close();
    report(summary, { dryRun, json });
  } finally {
    progress.close();
  }
}

function report({ types, refused, warnings }: ImportSummary, { dryRun, json }: Json & { dryRun: boolean }): void {
  if (json) print({ dry_run: dryRun, types, refused, warnings }, { json });
  else print(Object.entries(types).map(([type, counts]) => ({ type, ...counts })));
  if (!json && dryRun) printNotice('ringback: a dry run, nothing was stored');
  if (refused.length > 0) process.exitCode = 1;
}

type ExportOptions = { account?: string; withSecrets?: boolean; since?: Date };

async function exportAll({ account, withSecrets = false, since }: ExportOptions): Promise<void> {
  await withConnections(async ({ db }) => {
    if (account !== undefined) await requireAccount(db, account);
    for await (const line of exportLines(db, { accountId: account, withSecrets, since })) {
      await printJsonLine(line);
    }
  });
}
