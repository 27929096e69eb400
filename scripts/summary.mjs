// What a run of jest comes to, for `npm test`.

/**
 * The counts for the last line, from jest's JSON report and exit code. A suite that could not run is one failure;
 * so is a run without a report or without a test, and one that jest calls failed for another reason.
 */
export function summarise(report, exitCode) {
  if (!report) return { passed: 0, failed: 1 };
  const passed = report.numPassedTests;
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
  const nothingRan = passed + failed === 0;
  return { passed, failed: failed === 0 && (exitCode !== 0 || nothingRan) ? 1 : failed };
}
