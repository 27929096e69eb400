import {
  type Database,
  isDatabaseUnavailable,
  loadVerification,
  endVerification,
  recordTestCall,
  recordVerification,
  takeTestCall,
} from '@ringback/database';
import { type Logger, readVersion } from '@ringback/runtime';
import type { WorkerConfig } from '../config.js';
import type { Handler } from '../jobs/consumers.js';
import { idOf } from '../jobs/job-data.js';
import type { Persist } from '../jobs/patience.js';
import type { Sender } from '../send/send.js';
import { openSealedCheck } from './sealed.js';
import { createShares } from './shares.js';
import { makeTestCall, type TestCallDeps } from './test-call.js';
import { verify, type VerifyDeps } from './verification.js';

type Parts = { db: Database; sender: Sender; log: Logger; persist: Persist };

const maxChallengesOfAccount = 16;
// How often the worker of a job has to have died for the job to run alone.
const suspectAfter = 3;

/** Makes the attempts of verification challenges. */
export function createVerificationHandler(config: WorkerConfig, { db, sender, log, persist }: Parts): Handler {
  const patient = <T>(act: () => Promise<T>) => persist(act, isDatabaseUnavailable);
  const deps: VerifyDeps = {
    shares: createShares({ mostEach: maxChallengesOfAccount, usualMs: config.timeoutMs }),
    load: (id) => patient(() => loadVerification(db, id)),
    record: (...words) => patient(() => recordVerification(db, ...words)),
    end: (id, reason) => patient(() => endVerification(db, id, reason)),
    isSealed: openSealedCheck(log),
    send: sender.send,
    log,
    retries: config.retries,
    version: readVersion(),
  };
  return {
    suspectAfter,
    handle: ({ data }) => verify(deps, idOf(data, 'verificationId')),
    giveUp: ({ data }, reason) => endVerification(db, idOf(data, 'verificationId'), reason),
  };
}

/** Makes test calls. */
export function createTestCallHandler(config: WorkerConfig, { db, sender, log }: Parts): Handler {
  const deps: TestCallDeps = {
    take: (id) => takeTestCall(db, id),
    record: (id, result) => recordTestCall(db, id, result),
    isSealed: openSealedCheck(log),
    send: sender.send,
    log,
    requireVerification: config.requireVerification,
    version: readVersion(),
  };
  return {
    suspectAfter,
    handle: ({ data }) => makeTestCall(deps, idOf(data, 'testCallId')),
    // The caller has given up by then.
    giveUp: () => Promise.resolve(),
  };
}
