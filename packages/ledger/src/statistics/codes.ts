/**
 * The codes of results. The result of an attempt is `delivered`, `retried` if a retry follows, or `failed` if none
 * does. The result of a delivery that ended without an attempt is `failedUnattempted`, or `skipped` because its webhook
 * may not get callbacks.
 */
export const resultCodes = { delivered: 1, retried: 2, failed: 3, failedUnattempted: 4, skipped: 5 } as const;

/** The result of an attempt, or of a delivery that ended without an attempt. */
type StatisticResult = keyof typeof resultCodes;

/** The codes of attempts without a response, by their outcome. */
const codeByOutcome = {
  timeout: 11,
  dns: 12,
  tls: 13,
  connect: 14,
  reset: 15,
  refused: 16,
  protocol: 17,
} as const;

/** Why an attempt got no response. */
type StatisticError = keyof typeof codeByOutcome;

// The code of a response is 1000 + its status, and that of a duration 10000 + its step.
const statusBase = 1_000;
const durationBase = 10_000;

// Each step of durations is 15 % wider than the one before. Its middle differs by at most 7.2 % from the durations in
// it.
const stepsPerDoubling = 5;

const errorCases = Object.entries(codeByOutcome).map(([error, code]) => `WHEN '${error}' THEN ${code}`);

/**
 * The codes that statistics count for an attempt, as an SQL list: those of its result, of its response or error, and of
 * its duration. `attempt` has the columns of `attempts`.
 */
export const attemptCodesSql = (attempt: string) => `
  (CASE ${attempt}.verdict WHEN 'delivered' THEN ${resultCodes.delivered} WHEN 'retry' THEN ${resultCodes.retried}
    ELSE ${resultCodes.failed} END),
  (CASE WHEN ${attempt}.outcome = 'response' AND ${attempt}.status_code IS NOT NULL THEN ${statusBase} + ${attempt}.status_code
    ELSE CASE ${attempt}.outcome ${errorCases.join(' ')} ELSE ${codeByOutcome.protocol} END END),
  (${durationBase} + CASE WHEN ${attempt}.duration_ms < 1 THEN 0
    ELSE 1 + round(ln(${attempt}.duration_ms::float8) / ln(2) * ${stepsPerDoubling})::int END)`;

/** The number of times that each code was counted. */
export type CodeCounts = ReadonlyMap<number, number>;

export const countsByResult = (counts: CodeCounts): Record<StatisticResult, number> =>
  mapValues(resultCodes, (code) => counts.get(code) ?? 0);

/** The counts of responses by status. */
export const countsByStatus = (counts: CodeCounts): Record<string, number> =>
  Object.fromEntries(between(counts, statusBase, durationBase).map(([code, count]) => [code - statusBase, count]));

/** The counts of attempts without a response, by error. */
export function countsByError(counts: CodeCounts): Partial<Record<StatisticError, number>> {
  const errors = entriesOf(codeByOutcome).map(([error, code]) => [error, counts.get(code) ?? 0] as const);
  return Object.fromEntries(errors.filter(([, count]) => count > 0));
}

/** The counts of durations, in rising order. `decodeDurationMs` reads their codes. */
export const countsByDuration = (counts: CodeCounts): [code: number, count: number][] =>
  between(counts, durationBase, Infinity).sort(([a], [b]) => a - b);

const between = (counts: CodeCounts, low: number, high: number) =>
  [...counts].filter(([code]) => code >= low && code < high);

/** The middle of the step of durations that a code stands for, in ms. */
export const decodeDurationMs = (code: number): number =>
  code === durationBase ? 0 : 2 ** ((code - durationBase - 1) / stepsPerDoubling);

const entriesOf = <Key extends string, Value>(record: Record<Key, Value>) => Object.entries(record) as [Key, Value][];

const mapValues = <Key extends string, Value, Result>(record: Record<Key, Value>, map: (value: Value) => Result) =>
  Object.fromEntries(entriesOf(record).map(([key, value]) => [key, map(value)])) as Record<Key, Result>;

/** Rows of `statistics`: `counts[i][j]` belongs to `codes[i][j]`. */
export type CodeCountColumns = { codes: number[][]; counts: number[][] };

/** The sum of all rows, code by code. */
export function sumCodeRows(countedCodes: CodeCountColumns[]): CodeCounts {
  const total = new Map<number, number>();
  for (const { codes, counts } of countedCodes) {
    for (const [index, rowCodes] of codes.entries()) addRow(total, rowCodes, counts[index] ?? []);
  }
  return total;
}

function addRow(total: Map<number, number>, codes: number[], counts: number[]): void {
  for (let index = 0; index < codes.length; index++) addCount(total, codes[index] ?? 0, counts[index] ?? 0);
}

const addCount = (total: Map<number, number>, code: number, count: number) =>
  void total.set(code, (total.get(code) ?? 0) + count);

/** The sum of several counts, code by code. */
export function sumCounts(parts: CodeCounts[]): CodeCounts {
  const total = new Map<number, number>();
  for (const part of parts) {
    for (const [code, count] of part) addCount(total, code, count);
  }
  return total;
}
