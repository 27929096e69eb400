// Summarises a run of jest for `npm test`.

/**
 * Counts passed and failed tests from jest's JSON report and exit code. A suite that could not run counts as one failure. So
 * does a run without a report, a run without tests, and a run whose exit code is not 0 although no test failed.
 */
export function summarise(report, exitCode) {
  if (!report) return { passed: 0, failed: 1 };
  const passed = report.numPassedTests;
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
  const nothingRan = passed + failed === 0;
  return { passed, failed: failed === 0 && (exitCode !== 0 || nothingRan) ? 1 : failed };
}
