import type pg from 'pg';
import { VerificationState } from '../generated/enums.js';
import { enumOf, integer, text, uuid } from '../sql/columns.js';
import { defineRecords, namesOf, type RecordColumns, statement } from '../sql/statement.js';
import { given, isSameRow, overwriteSql, timeSql } from './import-batch.js';

/** A verification of a webhook as it is imported. An absent field keeps its value. */
export type ImportedVerification = {
  id: string;
  state: VerificationState;
  attemptCount?: number | undefined;
  reason?: string | null | undefined;
  advice?: string | null | undefined;
  nextAttemptAt?: string | null | undefined;
  createdAt?: string | undefined;
  updatedAt?: string | undefined;
};

const columnsSql = `webhook_id AS "webhookId", id, state, attempt_count AS "attemptCount", reason, advice,
      ${timeSql('next_attempt_at')} AS "nextAttemptAt", ${timeSql('created_at')} AS "createdAt",
      ${timeSql('updated_at')} AS "updatedAt"`;
const columns = {
  webhookId: uuid,
  id: uuid,
  state: enumOf('verification_state', VerificationState),
  attemptCount: integer,
  reason: text.orNull,
  advice: text.orNull,
  nextAttemptAt: text.orNull,
  createdAt: text.withoutNulls,
  updatedAt: text.withoutNulls,
};

const newestStatement = statement<{ webhookIds: string[] }>(
  `SELECT DISTINCT ON (webhook_id) ${columnsSql} FROM verifications WHERE webhook_id = ANY($webhookIds::uuid[])
    ORDER BY webhook_id, id DESC`,
).returns(columns);

export type MovedVerification = Awaited<ReturnType<typeof newestStatement.rows>>[number];

/** The newest verification of each of these webhooks, by the id of the webhook. */
export async function findNewestVerifications(
  client: pg.Pool | pg.PoolClient,
  webhookIds: string[],
): Promise<Map<string, MovedVerification>> {
  const rows = await newestStatement.rows(client, { webhookIds });
  return new Map(rows.map((row) => [row.webhookId, row]));
}

const existingStatement = statement<{ ids: string[] }>(
  `SELECT ${columnsSql} FROM verifications WHERE id = ANY($ids::uuid[]) ORDER BY id FOR UPDATE`,
).returns(columns);

type Row = Omit<MovedVerification, 'createdAt' | 'updatedAt'> & { createdAt: string | null; updatedAt: string | null };

const storedColumns: RecordColumns<Row> = {
  id: ['uuid', ({ id }) => id],
  webhook_id: ['uuid', ({ webhookId }) => webhookId],
  state: ['verification_state', ({ state }) => state],
  attempt_count: ['int', ({ attemptCount }) => attemptCount],
  reason: ['text', ({ reason }) => reason],
  advice: ['text', ({ advice }) => advice],
  next_attempt_at: ['timestamptz', ({ nextAttemptAt }) => nextAttemptAt],
};
const records = defineRecords<Row>({
  ...storedColumns,
  created_at: ['timestamptz', ({ createdAt }) => createdAt],
  updated_at: ['timestamptz', ({ updatedAt }) => updatedAt],
});
// A worker finds a pending verification by its time.
const storeStatement = statement<{ rows: string }>(
  `INSERT INTO verifications (${namesOf(storedColumns)}, created_at, updated_at)
    SELECT id, webhook_id, state, attempt_count, reason, advice,
      CASE WHEN state = 'pending' THEN COALESCE(next_attempt_at, clock_timestamp()) END,
      COALESCE(created_at, clock_timestamp()), COALESCE(updated_at, created_at, clock_timestamp())
      FROM ${records.from('$rows')} ORDER BY id
    ON CONFLICT (id) DO UPDATE SET ${overwriteSql(
      [...Object.keys(storedColumns), 'created_at', 'updated_at'].filter(
        (name) => !['id', 'webhook_id'].includes(name),
      ),
    )}`,
);

/** The verifications of these ids, by id. They are locked until the transaction ends. */
export async function findMovedVerifications(
  client: pg.PoolClient,
  ids: string[],
): Promise<Map<string, MovedVerification>> {
  return new Map((await existingStatement.rows(client, { ids })).map((row) => [row.id, row]));
}

/** What a verification becomes: its fields, and for those that it does not have, the values so far. */
export function mergedVerification(
  webhookId: string,
  line: ImportedVerification,
  before: MovedVerification | undefined,
): Row {
  return {
    webhookId,
    id: line.id,
    state: line.state,
    attemptCount: given(line.attemptCount, before?.attemptCount ?? 0),
    reason: given(line.reason, before?.reason ?? null),
    advice: given(line.advice, before?.advice ?? null),
    nextAttemptAt: line.state === 'pending' ? (line.nextAttemptAt ?? before?.nextAttemptAt ?? null) : null,
    createdAt: given<string | null>(line.createdAt, before?.createdAt ?? null),
    updatedAt: given<string | null>(line.updatedAt, before?.updatedAt ?? null),
  };
}

export const isSameVerification = (before: MovedVerification | undefined, after: Row): boolean =>
  before !== undefined && isSameRow<Row>(before, after);

export async function storeVerifications(client: pg.PoolClient, rows: Row[]): Promise<void> {
  if (rows.length > 0) await storeStatement.run(client, { rows: records.encode(rows) });
}
