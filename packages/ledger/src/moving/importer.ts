import { isTransientDatabaseError } from '../connection/database-errors.js';
import type { Database } from '../connection/database.js';
import { requireReadableSecrets } from '../connection/stored-secrets.js';
import { beginDryRunSql, openDryRun } from './dry-run.js';
import { importAccessTokens, type ImportedAccessToken } from './import-access-tokens.js';
import { importAccounts, type ImportedAccount } from './import-accounts.js';
import { type ImportContext, type ImportResult, refused } from './import-batch.js';
import { importEventKeys, type ImportedEventKey } from './import-event-keys.js';
import { importSubscriptions, type ImportedSubscription } from './import-subscriptions.js';
import { importWebhooks, type ImportedWebhook } from './import-webhooks.js';

/** An object to import. Times are UTC with six fractional digits. An absent field keeps its value, or is made here. */
export type ImportLine =
  | ({ type: 'account' } & ImportedAccount)
  | ({ type: 'access_token' } & ImportedAccessToken)
  | ({ type: 'webhook' } & ImportedWebhook)
  | ({ type: 'subscription' } & ImportedSubscription)
  | ({ type: 'event_key' } & ImportedEventKey);

type ImportType = ImportLine['type'];

const importers: {
  [Type in ImportType]: (
    context: ImportContext,
    lines: Extract<ImportLine, { type: Type }>[],
  ) => Promise<ImportResult[]>;
} = {
  account: importAccounts,
  access_token: importAccessTokens,
  webhook: importWebhooks,
  subscription: importSubscriptions,
  event_key: importEventKeys,
};

/**
 * Imports lines in batches. A line is stored whole or not at all, and the lines of a batch commit together. A dry run
 * does the same with temporary copies of the tables. Throws an UnreadableSecretError if no key is configured
 * although other secrets are encrypted.
 */
export class Importer {
  readonly #context: ImportContext;

  private constructor(context: ImportContext) {
    this.#context = context;
  }

  /** Runs `work` with an importer, and ends its connection. */
  static async run<T>(
    db: Database,
    { isDryRun }: { isDryRun: boolean },
    work: (importer: Importer) => Promise<T>,
  ): Promise<T> {
    if (db.secrets.keyIds.length === 0) await requireReadableSecrets(db);
    const client = await db.pool.connect();
    let mustClose = true;
    try {
      if (isDryRun) await openDryRun(client, db);
      const result = await work(new Importer({ db, client, isDryRun }));
      mustClose = isDryRun;
      return result;
    } finally {
      client.release(mustClose);
    }
  }

  /** Imports lines of one type, no two of which name the same object. Returns what became of each, in order. */
  async importBatch(lines: ImportLine[]): Promise<ImportResult[]> {
    const [first] = lines;
    if (first === undefined) return [];
    const { client, isDryRun } = this.#context;
    const importAll = importers[first.type] as (context: ImportContext, batch: ImportLine[]) => Promise<ImportResult[]>;
    await client.query(isDryRun ? beginDryRunSql : 'BEGIN');
    try {
      const results = await importAll(this.#context, lines);
      await client.query('COMMIT');
      return results;
    } catch (error) {
      await client.query('ROLLBACK');
      if (!(error instanceof Error) || !isRefusal(error)) throw error;
      if (lines.length === 1) return [refused(describe(error))];
      // Halves find one bad line of 500 with 18 further batches.
      const middle = Math.ceil(lines.length / 2);
      const results = await this.importBatch(lines.slice(0, middle));
      return [...results, ...(await this.importBatch(lines.slice(middle)))];
    }
  }
}

/** Whether PostgreSQL refused the values: the other lines of the batch may be fine. */
const isRefusal = (error: Error & { code?: unknown }) =>
  typeof error.code === 'string' && /^2[23]/.test(error.code) && !isTransientDatabaseError(error);

const takenBy: Record<string, string> = {
  accounts_external_id_key: 'external_id: another account has it',
  access_tokens_pkey: 'id: another access token has it',
};

const describe = (error: Error & { constraint?: unknown }) => takenBy[String(error.constraint)] ?? error.message;
