import type { Scenario } from './scenario.js';
import { apiKilled, apiStopped, duplicatePushes } from './scenarios/api.js';
import { postgresBlackHole, redisBlackHole } from './scenarios/black-holes.js';
import { apiKillPoints, killPoints, lostReplies } from './scenarios/break-points.js';
import { bridgeScenarios } from './scenarios/bridge.js';
import { edits } from './scenarios/edits.js';
import { greedyAccount } from './scenarios/greedy.js';
import { silentNames } from './scenarios/names.js';
import { overloaded } from './scenarios/overloaded.js';
import { largePayloads, naughty } from './scenarios/payloads.js';
import { postgresLocked, postgresRefusing, postgresRestarts, postgresStopped } from './scenarios/postgres.js';
import { flapping, floodHttp, hostile, hundredsHung, oneHung, sixtyHung, thirtyHung } from './scenarios/receivers.js';
import { flushAll, redisAway, redisCut, redisFrozen, redisKilled, redisRefusing } from './scenarios/redis.js';
import { oldSnapshot } from './scenarios/old-snapshot.js';
import { retention } from './scenarios/retention.js';
import { soak } from './scenarios/soak.js';
import {
  brokenBackoff,
  clockOff,
  frozen,
  kill9,
  kill9RateLimited,
  poison,
  sigterm,
  sigtermAway,
  sigtermHanging,
} from './scenarios/workers.js';

/** The scenarios that run if none is named, in the order in which they run. */
export const scenarios: readonly Scenario[] = [
  ...[
    kill9,
    kill9RateLimited,
    frozen,
    poison,
    brokenBackoff,
    sigterm,
    sigtermHanging,
    sigtermAway,
    apiKilled,
    apiStopped,
  ],
  ...[
    lostReplies,
    killPoints,
    apiKillPoints,
    postgresStopped,
    postgresRestarts,
    postgresLocked,
    postgresRefusing,
    postgresBlackHole,
  ],
  ...[redisKilled, redisAway, redisCut, redisFrozen, redisRefusing, redisBlackHole, flushAll],
  ...[
    flapping,
    edits,
    retention,
    oldSnapshot,
    duplicatePushes,
    naughty,
    clockOff,
    hostile,
    oneHung,
    thirtyHung,
    sixtyHung,
    hundredsHung,
    floodHttp,
    overloaded,
    silentNames,
    largePayloads,
  ],
];

/** Scenarios that run only if they are named. */
export const longScenarios: readonly Scenario[] = [soak, greedyAccount, ...bridgeScenarios];
