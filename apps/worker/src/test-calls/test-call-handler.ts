import { type Database, recordTestCall, claimTestCall } from '@ringback/ledger';
import type { JobHandler } from '@ringback/queue';
import { type Logger, readVersion } from '@ringback/process';
import type { WorkerConfig } from '../config.js';
import { readId } from '../jobs/read-id.js';
import type { Sender } from '../send/send.js';
import { createUnreadableSecretCheck } from '../attempt/unreadable-secrets.js';
import { makeTestCall, type TestCallDeps } from './test-call.js';

type HandlerDeps = { db: Database; sender: Sender; log: Logger };

/** Creates the handler for the queue `test-calls`. Each of its jobs makes a test call and records the result. */
export function createTestCallHandler(config: WorkerConfig, { db, sender, log }: HandlerDeps): JobHandler {
  const deps: TestCallDeps = {
    claim: (id) => claimTestCall(db, id),
    record: (id, result) => recordTestCall(db, id, result),
    hasUnreadableSecret: createUnreadableSecretCheck(log),
    send: sender.send,
    log,
    requireVerification: config.requireVerification,
    version: readVersion(),
  };
  return {
    handle: ({ data }) => makeTestCall(deps, readId(data, 'testCallId')),
    // No client waits for the result any more.
    deadLetter: () => Promise.resolve(),
  };
}
