import { apiKilled, apiStopped } from './stories/api.js';
import { bridgeStories } from './stories/bridge.js';
import { postgresBlackHole, redisBlackHole } from './stories/black-holes.js';
import { apiKillPoints, killPoints, lostReplies } from './stories/break-points.js';
import { clockOff } from './stories/clock.js';
import { silentNames } from './stories/names.js';
import { naughty } from './stories/naughty.js';
import { edits } from './stories/edits.js';
import { largePayloads } from './stories/payloads.js';
import { duplicatePushes } from './stories/pushes.js';
import { greedyAccount } from './stories/greedy.js';
import { hostile } from './stories/hostile.js';
import { flapping, floodHttp, hundredsHung, oneHung, thirtyHung, sixtyHung } from './stories/receivers.js';
import { poison } from './stories/poison.js';
import { postgresLocked, postgresRefusing, postgresRestarts, postgresStopped } from './stories/postgres.js';
import { flushAll, redisAway, redisCut, redisFrozen, redisKilled, redisRefusing } from './stories/redis.js';
import { retention } from './stories/retention.js';
import { soak } from './stories/soak.js';
import { sigterm, sigtermAway, sigtermHanging } from './stories/stopping.js';
import { brokenBackoff, frozen, kill9, kill9RateLimited } from './stories/workers.js';
import type { Story } from './story.js';

/** All stories, in the order in which they run. */
export const stories: readonly Story[] = [
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
    duplicatePushes,
    naughty,
    clockOff,
    hostile,
    oneHung,
    thirtyHung,
    sixtyHung,
    hundredsHung,
    floodHttp,
    silentNames,
    largePayloads,
  ],
];

/** Stories that run only if they are named. */
export const longStories: readonly Story[] = [soak, greedyAccount, ...bridgeStories];
