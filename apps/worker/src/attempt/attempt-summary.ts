import type { Channel, Outcome, Verdict } from '@ringback/rules';

/** What metrics and traces need of an attempt. */
export type AttemptSummary = {
  deliveryId: string;
  eventId: string;
  webhookId: string;
  accountId: string;
  channel: Channel;
  attemptNumber: number;
  outcome: Outcome;
  verdict: Verdict['type'];
  durationMs: number;
  /** When the event was stored, by PostgreSQL's clock. */
  receivedAt: Date;
  /** When the attempt started, by this machine's clock. */
  startedAt: Date;
};
