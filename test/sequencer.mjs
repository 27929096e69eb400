// The order in which Jest runs the test files: what takes minutes comes first, so that at the end of a run all cores
// have work. Without earlier runs, Jest only knows the sizes of the files.
import Sequencer from '@jest/test-sequencer';

const long = [
  'test/portal/dist/portal',
  'test/bench/dist/main',
  'test/e2e/dist/(database|package|generated-clients|failed-start|client-package|secrets-at-rest)',
  'apps/api/dist/(portal-sessions/restricted-sessions|fuzz/fuzz|openapi/examples)',
  'apps/cli/dist/dev/start',
  'test/e2e/dist/(sandbox|framework-examples|two-installations|verify-examples|cli-host|bridge-start)',
  'test/portal/dist/proxies',
  // Its processes and receivers must answer in seconds, which they cannot beside several of the above.
  'test/faults/dist/faults',
].map((pattern) => new RegExp(`${pattern}\\.`));

const rankOf = ({ path }) => {
  const rank = long.findIndex((pattern) => pattern.test(path.replaceAll('\\', '/')));
  return rank === -1 ? long.length : rank;
};

export default class LongFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => rankOf(one) - rankOf(other));
  }
}
