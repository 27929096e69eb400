// Summarises a jest run for `npm test`.

/**
 * Counts passed and failed tests from jest's JSON report and exit code. A suite that could not run counts as one failed
 * test. A run counts as one failed test if it has no report or no tests, or if no test failed and the exit code is not
 * 0.
 */
export function summarise(report, exitCode) {
  if (!report) return { passed: 0, failed: 1 };
  const passed = report.numPassedTests;
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
  const nothingRan = passed + failed === 0;
  return { passed, failed: failed === 0 && (exitCode !== 0 || nothingRan) ? 1 : failed };
}

/** Counts the skipped tests in the files whose paths contain a text. */
export function countSkipped(report, pathPart) {
  const suites = (report ? report.testResults : []).filter(({ name }) => name.includes(pathPart));
  return suites.flatMap((suite) => suite.assertionResults).filter(({ status }) => status === 'pending').length;
}
