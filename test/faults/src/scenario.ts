import { until } from '@ringback/testing';
import type { Call, Findings } from './check.js';
import type { Load } from './load.js';
import type { BackendName, Testbed } from './testbed.js';

/** The size of a run. `test` is the size in `npm run test:all`. */
export type Size = 'test' | 'small' | 'normal' | 'full';

/** A number for each size. `test` defaults to `small`. */
type SizedNumbers = { test?: number; small: number; normal: number; full: number };

export type Scenario = {
  name: string;
  title: string;
  backends: readonly BackendName[];
  /** The number of webhooks of the scenario's account; by default 10. */
  webhooks?: number;
  /** The time limit of `run`; by default 5 minutes, at full size 15. */
  maxMs?: number;
  env?: NodeJS.ProcessEnv;
  /** The scenario disturbs no server, so it fails if a worker logs an internal error. */
  requiresNoErrors?: true;
  /** The scenario measures times, so no other scenario may run at the same time. */
  runsAlone?: true;
  /** Returns why the scenario cannot run on this machine. Undefined if it can. */
  skipReason?(): string | undefined;
  /** Makes the scenario a negative control: it passes only if a problem matches. */
  expectedProblem?: RegExp;
  run(context: ScenarioContext): Promise<void>;
};

/** The testbed of a scenario, with its assertions and its report. */
export type ScenarioContext = Testbed &
  Assertions & {
    size: Size;
    /** Returns the number for the size of this run. */
    bySize(numbers: SizedNumbers): number;
    /** Records a fault that has occurred. A scenario without a fault fails. */
    recordFault(fault: string): void;
    /** Adds a text to the last column of the table. */
    note(text: string): void;
    /**
     * Waits until all acknowledged events are stored and no delivery is pending. Then checks the events of the loads
     * against the receiver's calls and the ledger.
     */
    settle(loads: Load | Load[], options?: SettleOptions): Promise<Settled>;
  };

export type Assertions = {
  /** Fails the scenario with the message if the condition is false. */
  require(condition: boolean, message: string): void;
  /**
   * Fails the scenario if something took longer than `maxMs` times the load factor of the machine. At size `test` it
   * only adds a note, because tests do not measure speed.
   */
  requireWithin(maxMs: number, tookMs: number, what: string): void;
};

export type SettleOptions = {
  /** The maximum wait, by default 3 minutes. If it is over, this is a problem, and the check follows. */
  withinMs?: number;
  /** The start of the recovery time; by default the last fault. */
  from?: number;
  /** By default 0. */
  maxDuplicates?: number;
  /** By default 4 for SMS and 3 for RCS. */
  maxAttempts?: { sms: number; rcs: number };
  excludedMessageIds?: ReadonlySet<string>;
  /** Changes the receiver's calls before the check. */
  mapCalls?: (calls: readonly Call[]) => readonly Call[];
};

/** `recoveryMs`: the time from the option `from` until no delivery was pending, or until the wait was over. */
export type Settled = Findings & { recoveryMs: number };

export type Result = Settled & { faults: string[]; notes: string[] };

/** Calls `until` with the limits of a scenario: by default it checks every 50 ms and rejects after 90 s. */
export function awaitState<T>(
  expected: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  { withinMs = 90_000, everyMs = 50 }: { withinMs?: number; everyMs?: number } = {},
): Promise<T> {
  return until(check, expected, withinMs, everyMs);
}
