import type { AttemptTiming } from './receiver-health.js';

/** Permission for one attempt. It must be released when the attempt has been recorded, or when none is made. */
export type Permit = {
  /** Starts to time the receiver, just before the request is sent. False when no attempt may start any more. */
  tryStart(): boolean;
  /**
   * Reports how the attempt ended, which may change the webhook's limit and health. Does nothing if it did not start.
   */
  reportEnd(timing: AttemptTiming): void;
  /** A second release does nothing. */
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

type PermitHooks = {
  now(): number;
  /** Whether an attempt may still start. */
  mayStart(): boolean;
  onEnd(timing: AttemptTiming): void;
  onRelease(): void;
};

/** Adds a permit to a webhook's permits. `onEnd` and `onRelease` are called at most once. */
export function createPermit({ permits, inFlight }: WebhookPermits, hooks: PermitHooks): Permit {
  const permit: Permit = {
    tryStart() {
      if (!hooks.mayStart()) return false;
      inFlight.set(permit, hooks.now());
      return true;
    },
    reportEnd(timing) {
      if (inFlight.delete(permit)) hooks.onEnd(timing);
    },
    release() {
      inFlight.delete(permit);
      if (permits.delete(permit)) hooks.onRelease();
    },
  };
  permits.add(permit);
  return permit;
}
