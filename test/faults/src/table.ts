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
  const rows = results.map((one) => [
    one.scenario,
    one.backend,
    ...[one.events, one.faults.length, one.delivered, one.finishedWithoutSuccess, one.lost, one.duplicates].map(String),
    (one.recoveryMs / 1_000).toFixed(1),
    one.passed ? 'passed' : 'FAILED',
    one.notes.join('; '),
  ]);
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return ['', line(heads), ...rows.map(line)].join('\n');
}
