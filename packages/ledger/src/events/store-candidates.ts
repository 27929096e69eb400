import { type Channel, type EventContent, hasSameContent } from '@ringback/rules';
import { groupBy } from '@ringback/process';
import type pg from 'pg';
import type { Database } from '../connection/open.js';
import { candidateRecords, type EventCandidate } from './event-records.js';
import {
  countDuplicatesStatement,
  deleteOrphanKeysStatement,
  findByKeysStatement,
  storeEventsStatement,
} from './event-statements.js';
import { type StoreResult, type StoredRow, toDuplicate, toStoreResult } from './store-result.js';
import { takeWhile } from './take-while.js';

/** Which new deliveries are leased to the caller, so that it makes their first attempts itself. */
export type LeaseRequest = {
  channels: Channel[];
  leaseMs: number;
  /** Maximum deliveries that one statement leases, in total. */
  maxLeased: number;
  /** Maximum deliveries of one account that one statement leases. */
  maxLeasedPerAccount: number;
  /** Ids of webhooks whose deliveries are not leased. */
  excludedWebhookIds: string[];
};

type Batch = { candidates: EventCandidate[]; leaseRequest: LeaseRequest };

/**
 * What became of a candidate:
 *
 * - `stored`: it was stored now
 * - `duplicate`: an event with its key was stored before
 * - `orphanKey`: its key exists, but the event of the key was deleted by hand
 * - `overLimit`: it was left out, because the candidates before it have as many deliveries as one statement stores
 */
type CandidateResult = { type: 'stored' | 'duplicate'; result: StoreResult } | { type: 'orphanKey' | 'overLimit' };

/**
 * Stores candidates, or finds the events that have their keys and counts the duplicates. Returns the results in order.
 * They end before the first candidate that was neither stored nor found, because it is over the limit or its key is
 * still an orphan. The first candidate is never over the limit. Throws if there is no result.
 */
export async function storeCandidates(
  db: Database,
  client: pg.Pool | pg.PoolClient,
  { candidates, leaseRequest }: Batch,
): Promise<StoreResult[]> {
  const firstResults = await storeOrFind(db, client, { candidates, leaseRequest });
  const inLimit = takeWhile(firstResults, ({ type }) => type !== 'overLimit');
  const orphans = candidates.filter((_, index) => inLimit[index]?.type === 'orphanKey');
  const orphanResults = orphans.length > 0 ? await storeOrphans(db, client, { candidates: orphans, leaseRequest }) : [];
  const all = inLimit.map((item) => (item.type === 'orphanKey' ? (orphanResults.shift() ?? item) : item));
  const results = takeWhile(all, (item) => 'result' in item).flatMap((item) => ('result' in item ? [item.result] : []));
  if (results.length === 0 && candidates.length > 0)
    throw new Error('an event was neither stored nor found by its key');
  const eventIds = results.filter(({ state }) => state === 'duplicate').map(({ eventId }) => eventId);
  if (eventIds.length > 0) await client.query(countDuplicatesStatement({ eventIds }));
  return results;
}

/** Deletes the orphan keys of candidates, and stores these candidates. */
async function storeOrphans(db: Database, client: pg.Pool | pg.PoolClient, batch: Batch): Promise<CandidateResult[]> {
  await client.query(deleteOrphanKeysStatement({ keys: batch.candidates.map(({ key }) => key) }));
  return storeOrFind(db, client, batch);
}

/**
 * Runs `storeEventsStatement`, and finds the keys of the candidates that it did not store. Returns a result for each.
 */
async function storeOrFind(
  db: Database,
  client: pg.Pool | pg.PoolClient,
  { candidates, leaseRequest }: Batch,
): Promise<CandidateResult[]> {
  const events = candidateRecords.encode(candidates);
  const { rows } = await client.query<StoredRow>(storeEventsStatement({ ...leaseRequest, events }));
  const storedRows = groupBy(rows, ({ eventId }) => eventId);
  const notStored = candidates.filter(({ id }) => !storedRows.has(id));
  const keyRows = notStored.length > 0 ? await findByKeys(client, notStored) : new Map<string, KeyRow>();
  // What is over the limit is at the end of the batch, and never the first candidate.
  const lastInLimit = Math.max(
    0,
    candidates.findLastIndex(({ id }) => storedRows.has(id)),
  );
  return candidates.map((candidate, index) => {
    const ownRows = storedRows.get(candidate.id);
    if (ownRows) return { type: 'stored', result: toStoreResult(db, candidate, ownRows) };
    const keyRow = keyRows.get(candidate.key);
    if (keyRow && keyRow.eventId !== null) {
      const isConflicting = keyRow.payload !== null && !hasSameContent(keyRow, candidate.event);
      return { type: 'duplicate', result: toDuplicate(keyRow.eventId, { isConflicting }) };
    }
    // Within the limit, a missing key was an orphan that another process has just deleted.
    return { type: keyRow || index <= lastInLimit ? 'orphanKey' : 'overLimit' };
  });
}

/** A key with its event. The payload is null unless the key is that of an `event_id`. */
type KeyRow = { key: string } & (
  { eventId: string; identity: string | null; payload: null } | ({ eventId: string } & EventContent) | { eventId: null }
);

async function findByKeys(client: pg.Pool | pg.PoolClient, candidates: EventCandidate[]): Promise<Map<string, KeyRow>> {
  // A key without an `event_id` covers the content, so only the others can belong to another content.
  const withEventId = candidates.filter(({ event }) => event.platformEventId !== null);
  const [keys, contentKeys] = [candidates, withEventId].map((some) => some.map(({ key }) => key));
  const { rows } = await client.query<KeyRow>(
    findByKeysStatement({ keys: keys ?? [], contentKeys: contentKeys ?? [] }),
  );
  return new Map(rows.map((row) => [row.key, row]));
}
