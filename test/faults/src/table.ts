import type { ScenarioResult } from './run-scenarios.js';

const heads = [
  'scenario',
  'backend',
  'events',
  'faults',
  'delivered',
  'finished without success',
  'lost',
  'duplicates',
  'recovery s',
  'verdict',
  'notes',
];

/** Formats the results of a run as a table. */
export function formatTable(results: readonly ScenarioResult[]): string {
  const rows = results.map((result) => [
    result.scenario,
    result.backend,
    ...[result.events, result.faults.length, result.delivered, result.finishedWithoutSuccess].map(String),
    ...[result.lost, result.duplicates].map(String),
    (result.recoveryMs / 1_000).toFixed(1),
    result.passed ? 'passed' : 'FAILED',
    result.notes.join('; '),
  ]);
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return ['', line(heads), ...rows.map(line)].join('\n');
}
