import { watchLoadFactor } from './load-factor.js';
import { settle } from './settle.js';
import type { Assertions, Result, Size, ScenarioContext } from './scenario.js';
import type { Testbed } from './testbed.js';

/** Creates the context of a scenario, and the result that the scenario fills. */
export function createScenarioContext(testbed: Testbed, size: Size): { context: ScenarioContext; result: Result } {
  const result = emptyResult();
  const assertions = createAssertions(result, size);
  let lastFaultAt = Date.now();
  const context: ScenarioContext = {
    ...testbed,
    ...assertions,
    size,
    bySize: (numbers) => numbers[size] ?? numbers.small,
    recordFault(fault) {
      lastFaultAt = Date.now();
      result.faults.push(fault);
    },
    note: (text) => void result.notes.push(text),
    async settle(loads, options = {}) {
      const settled = await settle(testbed, [loads].flat(), { from: lastFaultAt, ...options });
      const { lost, duplicates } = settled;
      const { maxDuplicates = 0 } = options;
      assertions.require(lost === 0, `${lost} lost`);
      assertions.require(duplicates <= maxDuplicates, `${duplicates} duplicates, more than ${maxDuplicates}`);
      result.problems.push(...settled.problems);
      Object.assign(result, { ...settled, problems: result.problems });
      return settled;
    },
  };
  return { context, result };
}

const emptyResult = (): Result => ({
  ...{ events: 0, delivered: 0, finishedWithoutSuccess: 0, lost: 0, duplicates: 0, recoveryMs: 0 },
  ...{ faults: [], notes: [], problems: [] },
});

function createAssertions({ problems, notes }: Result, size: Size): Assertions {
  const loadFactor = watchLoadFactor();
  return {
    require(condition, message) {
      if (!condition) problems.push(message);
    },
    requireWithin(maxMs, tookMs, what) {
      if (tookMs <= maxMs) return;
      const factor = loadFactor();
      const isTooSlow = size !== 'test' && tookMs > maxMs * factor;
      const message = `${what} took ${Math.round(tookMs)} ms, more than ${maxMs} ms`;
      if (isTooSlow) problems.push(message);
      notes.push(`${message} (load factor ${factor.toFixed(1)})`);
    },
  };
}
