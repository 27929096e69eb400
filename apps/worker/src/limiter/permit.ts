import type { AttemptTiming } from './receiver-health.js';

/** Permission for one attempt. It must be released when the attempt has been recorded, or when none is made. */
export type Permit = {
  /**
   * Marks the request as in flight, just before it is sent. False when the limiter has closed: then it must not be
   * sent.
   */
  tryStartRequest(): boolean;
  /**
   * Reports how the request ended, which may change the webhook's limit and health. Does nothing if none was started.
   */
  reportRequestEnd(timing: AttemptTiming): void;
  /** Gives the permit back. A second call does nothing. */
  release(): void;
};

/** The permits of a webhook. */
export type WebhookPermits = {
  /** The granted permits: of attempts that are prepared, in flight, or being recorded. */
  permits: Set<Permit>;
  /**
   * The attempts in flight, the oldest first, each with the time of `performance.now()` at which its request started.
   */
  inFlight: Map<Permit, number>;
};

type PermitDeps = {
  now(): number;
  /** Whether an attempt may still start. */
  mayStart(): boolean;
  onEnd(timing: AttemptTiming): void;
  onRelease(): void;
};

/** Adds a permit to a webhook's permits. `onEnd` and `onRelease` are called at most once. */
export function createPermit({ permits, inFlight }: WebhookPermits, deps: PermitDeps): Permit {
  const permit: Permit = {
    tryStartRequest() {
      if (!deps.mayStart()) return false;
      inFlight.set(permit, deps.now());
      return true;
    },
    reportRequestEnd(timing) {
      if (inFlight.delete(permit)) deps.onEnd(timing);
    },
    release() {
      inFlight.delete(permit);
      if (permits.delete(permit)) deps.onRelease();
    },
  };
  permits.add(permit);
  return permit;
}
