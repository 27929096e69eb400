import { expect, test } from '@jest/globals';
import fs from 'fs';
import { join, relative } from 'path';
import { fileURLToPath } from 'url';
import { root } from './prepare.mjs';

const changelog = 'CHANGELOG.md';
const renamed = ['packages/runtime/src/renamed-variables.ts', 'docs/operations.md', changelog];

// Words that must not come back, with the word to use instead and the files that may have them. A word matches whole
// identifiers, so `Lane` does not match `Planet`. A RegExp is for words that need a context. To add a word, remove it
// from the code first, then add a line here.
const replacedWords = [
  // Identifiers, environment variables and columns.
  ['Lane', 'ConcurrencyLimiter'],
  ['StartError', 'OperatorError'],
  ['openStopSignal', 'createStopSignal: it opens nothing'],
  ['openProgress', 'createProgress: it opens nothing'],
  ['openTraces', 'createOtlpTracer: it opens nothing'],
  ['openConfiguredTraces', 'createTracer: it opens nothing'],
  ['joinRunning', 'completeEnvironment'],
  ['readRunning', 'readRunningService'],
  ['readTime', 'parseTimestamp'],
  ['goneSettings', 'deadClientDetection'],
  ['guardConnections', 'handleConnectionErrors'],
  ['secretsInClear', 'unencryptedSecretsWarning'],
  ['orphanEnding', 'orphanStopSequence'],
  ['makeTemporaryFolder', 'createTemporaryFolder'],
  ['takeLock', 'acquireFolderLock'],
  ['takeTurn', 'acquireLock'],
  ['enterLane', 'acquire'],
  ['WebhookLimiter', 'ConcurrencyLimiter'],
  ['endPause', 'resumeWebhook'],
  ['readsManyRows', 'isSearch'],
  ['limitHeavyReads', 'limitSearches'],
  ['openApi', 'startApi: openApi reads like OpenAPI'],
  ['CallableTask', 'TaskWithPayload'],
  ['createDeliveryAttempter', 'createAttemptExecutor'],
  ['firstDeliveriesCte', 'earliestDueCte: it finds the earliest due delivery of each webhook'],
  ['isUnstorable', 'isUnstorableTextError'],
  ['memberSources', 'memberTexts'],
  ['hasAtMost', 'hasAtMostCharacters'],
  ['RefusedAddressError', 'ForbiddenAddressError'],
  ['AttemptFailedError', 'JobRetryError'],
  ['PlatformEvent', 'NewEvent'],
  ['openReceiver', 'startReceiver'],
  [/\bMaintenanceJobs?\b/, 'MaintenanceService'],
  ['createEagerWorker', 'createEventWorker'],
  ['sessionOpener', 'sessionCreator'],
  ['SecretError', 'UnreadableSecretError'],
  ['guardIngress', 'tolerateInvalidJobs'],
  ['webhookLimit', 'forRestrictedSession'],
  [/\bevent\\?\.taken?\b/, 'event.ingested in logs, event.ingest in traces', [changelog]],
  [/\bjob\\?\.trouble\b/, 'job.error', [changelog]],
  ['RETRY_AFTER', 'HONOR_RETRY_AFTER', renamed],
  ['PAUSE_GONE', 'PAUSE_ON_410', renamed],
  [/\bmost[A-Z]\w*/, 'max…'],
  [/\b(least|longest|largest)[A-Z]\w*/, 'min… or max…'],
  [/\b(most|least)(: number|\b *[<>=]|\))/, 'max…, min…, …Limit or …Count'],
  [/\b\w*[pP]atience\w*/, '…TimeoutMs, or retryWhileUnavailable'],
  [/\b[pP]ersist\b/, 'retryWhileUnavailable'],
  // The rows of earlier versions have this state.
  ['parked', 'deferred, or paused of a webhook', ['test/e2e/src/earlier-rows.ts', 'test/e2e/src/upgrade.test.ts']],
  ['usual', 'default…, or expected…'],
  ['odd', 'the property that is meant'],
  ['crowded', 'atCapacity'],
  ['hurry', 'RetryThrottle'],
  ['Pace', 'RateLimiter, or ReceiverHealth'],
  ['JobEnd', 'JobResult'],
  [/\bsuspect(s|After)\b/, 'poisonJobRunner, maxCrashes'],
  [/\btold(At)?\b/, 'loggedAt, notifiedAt, or another verb'],
  ['begun', 'started'],
  [/\b(portion|portionOf)\b/, 'share, quota or batch'],
  ['room', 'capacity'],
  [/\bplace\b(?=(:| =|\.\w|[)}\]]))/, 'position, location, path or folder'],
  [/\b(is|read|create|patch|audit|guard)?[iI]ngress(?!ClassName)[A-Z]\w*/, 'eventQueues, event…'],
  [/\b[iI]ntake\b|\bIntake[A-Z]\w*/, 'ingest'],
  ['Scene', 'Testbed'],
  ['World', 'Testbed'],
  ['Stage', 'ScenarioContext'],
  ['PoisonJobRunner', 'JobIsolation'],
  ['crashCount', 'expiredLeaseCount: a worker that is cut off from PostgreSQL has not crashed'],
  ['DeliveryRunner', 'DeliveryProcessor'],
  ['StoringResult', 'StoreResult'],
  ['personName', 'portalUserName'],
  ['composeChallenge', 'composeVerificationRequest; a challenge is its random string'],
  // Prose.
  [/\bingress (queue|job|worker)s?\b/i, 'event queue'],
  [/\baudit[ -]log\b/i, 'change history; audit is `ringback audit`'],
  [/\bconsistency check/i, 'audit'],
  ['welcome', 'has capacity'],
  ['precedence', 'priority, or RetryThrottle'],
  ['anyhow', 'in any case, or nothing'],
  [/\blest\b/i, 'so that … not'],
  [/\bwhoever\b/i, 'the caller, a client, an operator'],
  // `nobody` is also a user of the operating system, and an id in tests.
  [/(?<!["'`/])\bnobody\b(?!["'`])/i, 'the subject: "no client", "no worker"'],
  [/\banybody\b/i, 'the subject'],
  [/\bso many\b/i, 'the number, or "maximum"'],
  [/\bin hand\b/i, 'leased, or in progress'],
];

const extensions = /\.(ts|js|mjs|cjs|py|sh|sql|prisma|md|ya?ml|json|html|css)$|\/(Dockerfile|\.env\.example|\.npmrc)$/;
const skippedFolders = /^(node_modules|dist|generated|\.git|\.turbo|\.data|coverage)$/;
// History, and texts that others wrote.
const skippedFiles = /^(docs\/adr\/|docs\/performance\/|prisma\/migrations\/|package-lock\.json)|naughty-strings/;
const thisFile = relative(root, fileURLToPath(import.meta.url));

function listFiles(folder) {
  return fs.readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return skippedFolders.test(entry.name) ? [] : listFiles(path);
    return extensions.test(`/${path}`) && !skippedFiles.test(path) && path !== thisFile ? [path] : [];
  });
}

const files = listFiles('').map((path) => ({ path, lines: fs.readFileSync(join(root, path), 'utf8').split('\n') }));

/** Each hit as `file:line: word (use: replacement)`. */
function findHits(table) {
  const rules = table.map(([word, replacement, allowedFiles = []]) => ({
    pattern: word instanceof RegExp ? word : new RegExp(`(?<![\\w$])${word}(?![\\w$])`),
    replacement,
    allowedFiles,
  }));
  return files.flatMap(({ path, lines }) => findHitsIn(rules, path, lines));
}

function findHitsIn(rules, path, lines) {
  const ownRules = rules.filter(({ allowedFiles }) => !allowedFiles.includes(path));
  return lines.flatMap((line, index) =>
    ownRules.flatMap(({ pattern, replacement }) => {
      const match = pattern.exec(line);
      return match ? [`${path}:${index + 1}: ${match[0]} (use: ${replacement})`] : [];
    }),
  );
}

test('replaced words do not come back', () => {
  expect(findHits(replacedWords)).toEqual([]);
});
