import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Database,
  ExpiredCursorError,
  findReaderCursor,
  ForeignCursorError,
  formatOutcomeCursor,
  isTransientDatabaseError,
  type OutcomeCursor,
  type OutcomePage,
  type OutcomeType,
  readOutcomes,
  storeReaderCursor,
} from '@ringback/ledger';
import { announceReady, errorFields, OperatorError } from '@ringback/process';
import { outcomeFields } from '@ringback/rules';
import { printJsonLine, printNotice } from '../output.js';
import { connectErrorFields } from './broker.js';

/** An outcome as `GET /platform/outcomes` shows it. */
export type PublishedOutcome = ReturnType<typeof outcomeFields> & { cursor: string };

/** A connection to where outcomes go. */
export type OutcomeConnection = {
  /** Resolves when all rows are accepted for good, in their order. */
  publish(rows: PublishedOutcome[]): Promise<void>;
  /** Never rejects. */
  close(): Promise<void>;
};

export type OutcomeTarget = {
  /** Its name in notices, such as `topic outcomes of Kafka`. */
  name: string;
  /** Throws an OperatorError when an option or the broker must be changed first. */
  connect(): Promise<OutcomeConnection>;
};

/** Writes a line of JSON for each outcome. */
export const stdoutTarget: OutcomeTarget = {
  name: 'stdout',
  connect: () =>
    Promise.resolve({
      async publish(rows) {
        for (const row of rows) await printJsonLine(row);
      },
      close: () => Promise.resolve(),
    }),
};

type PublishSettings = {
  db: Database;
  target: OutcomeTarget;
  /** The cursor is stored under this name; not at all when absent. */
  name: string | undefined;
  /** Where to begin; null is the oldest outcome. When absent, at the stored cursor, or else at the oldest outcome. */
  cursor: OutcomeCursor | null | undefined;
  types: OutcomeType[] | undefined;
  /** Ends when there is nothing left. */
  once: boolean;
  stop: AbortSignal;
};

const pageSize = 500;
const pollMs = 250;
const retryMs = { first: 500, max: 10_000 };

/**
 * Publishes outcomes until `stop` aborts. The cursor is stored after the target has accepted a page, so a crash repeats
 * at most a page. While the target or the database is unavailable, it tries again.
 */
export async function publishOutcomes(settings: PublishSettings): Promise<void> {
  const { db, name, target, stop } = settings;
  const stored = name === undefined ? null : await findReaderCursor(db, name);
  let connection: OutcomeConnection | undefined = await target.connect().catch((error: unknown) => {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`--to: the broker cannot be used (${connectErrorFields(error).error})`);
  });
  announceReady();
  const publish = async ({ outcomes }: OutcomePage) => {
    if (outcomes.length === 0) return;
    connection ??= await target.connect();
    await connection.publish(
      outcomes.map((outcome) => ({ cursor: formatOutcomeCursor(outcome.cursor), ...outcomeFields(outcome) })),
    );
  };
  const recoverDatabase = (error: unknown) => {
    if (error instanceof OperatorError || !isTransientDatabaseError(error)) throw error;
    printNotice(`the database is unavailable (${errorFields(error).error}); trying again`);
  };
  const recoverTarget = async (error: unknown) => {
    if (error instanceof OperatorError) throw error;
    printNotice(`${target.name} is unavailable (${connectErrorFields(error).error}); trying again`);
    await connection?.close();
    connection = undefined;
  };
  /** Acts until that succeeds. `recover` throws what is final. Undefined when `stop` aborts before a success. */
  const retry = async <T>(recover: (error: unknown) => void | Promise<void>, act: () => Promise<T>) => {
    for (let waitMs = retryMs.first; !stop.aborted; waitMs = Math.min(2 * waitMs, retryMs.max)) {
      try {
        return await act();
      } catch (error) {
        await recover(error);
      }
      await pause(waitMs, stop);
    }
    return undefined;
  };
  try {
    let previous = stored;
    let cursor = settings.cursor === undefined ? stored : settings.cursor;
    while (!stop.aborted) {
      const page = await retry(recoverDatabase, () => read(settings, cursor));
      if (page === undefined) return;
      // A stop does not interrupt what is being sent, but it ends the attempts to send it.
      if ((await retry(recoverTarget, async () => (await publish(page), true))) === undefined) return;
      const reached = page.cursor;
      const isMoved = name !== undefined && reached !== null && !isSame(reached, previous);
      if (isMoved && !(await retry(recoverDatabase, () => store(db, name, { previous, cursor: reached })))) return;
      if (isMoved) previous = reached;
      cursor = reached;
      if (page.isEnd && settings.once) return;
      if (page.isEnd) await pause(pollMs, stop);
    }
  } finally {
    await connection?.close();
  }
}

const isSame = (a: OutcomeCursor, b: OutcomeCursor | null) =>
  b !== null && formatOutcomeCursor(a) === formatOutcomeCursor(b);

const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => undefined);

function read({ db, types }: PublishSettings, cursor: OutcomeCursor | null): Promise<OutcomePage> {
  return readOutcomes(db, { cursor, limit: pageSize, ...(types ? { types } : {}) }).catch((error: unknown) => {
    if (error instanceof ExpiredCursorError)
      throw new OperatorError(
        'rows after the cursor are no longer kept; go on with --from-oldest, which may repeat some',
      );
    if (error instanceof ForeignCursorError)
      throw new OperatorError('the cursor is ahead of the database, which was restored, or is of another service');
    throw error;
  });
}

/** Stores the cursor. A reply may have been lost, so a cursor that is already stored is fine. */
async function store(
  db: Database,
  name: string,
  { previous, cursor }: { previous: OutcomeCursor | null; cursor: OutcomeCursor },
): Promise<true> {
  if (await storeReaderCursor(db, name, { previous, cursor })) return true;
  const other = await findReaderCursor(db, name);
  if (isSame(cursor, other)) return true;
  throw new OperatorError(`another process publishes outcomes as ${name}; give one of them another --name`);
}
