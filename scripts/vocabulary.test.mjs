import { expect, test } from '@jest/globals';
import fs from 'fs';
import { join, relative } from 'path';
import { fileURLToPath } from 'url';
import { root } from './prepare.mjs';

// Words that must not come back, with the word to use instead. A word matches whole identifiers, so `Lane` does not match
// `Planet`. A RegExp is for words that need a context. To add a word, remove it from the code first, then add a line here.
const replacedEverywhere = [
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
  ['memberSources', 'memberTexts'],
  ['hasAtMost', 'hasAtMostCharacters'],
  [/\bevent\\?\.taken?\b/, 'event.ingested in logs, event.ingest in traces'],
  [/\bjob\\?\.trouble\b/, 'job.error'],
  ['RETRY_AFTER', 'HONOR_RETRY_AFTER', ['packages/runtime/src/renamed-variables.ts', 'docs/operations.md']],
  ['PAUSE_GONE', 'PAUSE_ON_410', ['packages/runtime/src/renamed-variables.ts', 'docs/operations.md']],
  // Prose.
  ['welcome', 'has capacity'],
  ['precedence', 'priority, or RetryThrottle'],
  ['anyhow', 'in any case, or nothing'],
  [/\blest\b/i, 'so that … not'],
];

// Words that are gone from these folders. Add a folder when its files are rewritten; when a word is gone everywhere, move
// it to the first table.
const rewrittenFolders = [
  ...['apps/cli', 'apps/sandbox', 'apps/start', 'apps/worker', 'prisma', 'scripts', '.env.example'],
  ...['test/bench', 'test/faults'],
  ...['callbacks', 'client', 'database', 'intake', 'metrics', 'queue'].map((name) => `packages/${name}`),
  ...['command-line', 'embedded', 'receiver', 'runtime', 'samples', 'testing'].map((name) => `packages/${name}`),
];
const replacedInRewrittenFolders = [
  // Identifiers.
  [/\bmost[A-Z]\w*/, 'max…'],
  [/\b(least|longest|largest)[A-Z]\w*/, 'min… or max…'],
  [/\b(most|least)(: number|\b *[<>=]|\))/, 'max…, min…, …Limit or …Count'],
  [/\b\w*[pP]atience\w*/, '…TimeoutMs, or retryWhileUnavailable'],
  [/\b[pP]ersist\b/, 'retryWhileUnavailable'],
  ['parked', 'deferred, or paused of a webhook'],
  ['usual', 'default…, or expected…'],
  ['odd', 'the property that is meant'],
  ['crowded', 'atCapacity'],
  ['hurry', 'RetryThrottle'],
  ['Pace', 'RateLimiter, or ReceiverHealth'],
  ['JobEnd', 'JobResult'],
  [/\bsuspect(s|After)\b/, 'poisonJobs, maxCrashes'],
  [/\btold(At)?\b/, 'loggedAt, notifiedAt, or another verb'],
  ['begun', 'started'],
  [/\b(portion|portionOf)\b/, 'share, quota or batch'],
  ['room', 'capacity'],
  ['place', 'position, rank or folder', ['apps/worker/src/verification/verification.ts']],
  // Prose.
  [/\bwhoever\b/i, 'the caller, a client, an operator'],
  [/(?<!['`])\bnobody\b(?!['`])/i, 'the subject: "no client", "no worker"'],
  [/\banybody\b/i, 'the subject'],
  [/\bso many\b/i, 'the number, or "maximum"'],
  [/\bin hand\b/i, 'leased, or in progress'],
];

const extensions = /\.(ts|js|mjs|cjs|py|sh|sql|prisma|md|ya?ml|json|html|css)$|\/(Dockerfile|\.env\.example|\.npmrc)$/;
const skippedFolders = /^(node_modules|dist|generated|\.git|\.turbo|\.data|coverage)$/;
// History, and texts that others wrote.
const skippedFiles =
  /^(CHANGELOG\.md|docs\/adr\/|docs\/performance\/|prisma\/migrations\/|package-lock\.json)|naughty-strings/;
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
function findHits(table, inFile) {
  const rules = table.map(([word, replacement, allowedFiles = []]) => ({
    pattern: word instanceof RegExp ? word : new RegExp(`(?<![\\w$])${word}(?![\\w$])`),
    replacement,
    allowedFiles,
  }));
  return files.filter(({ path }) => inFile(path)).flatMap(({ path, lines }) => findHitsIn(rules, path, lines));
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

const isRewritten = (path) => rewrittenFolders.some((folder) => path === folder || path.startsWith(`${folder}/`));

test('replaced words do not come back', () => {
  expect(findHits(replacedEverywhere, () => true)).toEqual([]);
});

test('replaced words do not come back in rewritten folders', () => {
  expect(findHits(replacedInRewrittenFolders, isRewritten)).toEqual([]);
});

test('the folders that are listed as rewritten exist', () => {
  expect(rewrittenFolders.filter((folder) => !files.some(({ path }) => path.startsWith(folder)))).toEqual([]);
});
