export type BenchOptions = {
  backend: 'redis' | 'postgres';
  events: number;
  workers: number;
  /** A PostgreSQL where databases may be created; absent when the benchmark starts its own. */
  databaseUrl: string | undefined;
  /** Deliveries that wait for a retry in `pending` and `backlog`. */
  pending: number;
  /** Rows in the ledger of `growth` and webhooks of `api`, at most. */
  rows: number;
  /** The folder of another checkout that is built, to be measured first in `doors`. */
  against?: string;
  /** A round trip to PostgreSQL and Redis in `doors`, in ms; 0 when they are on this machine. */
  distanceMs: number;
  /** A folder for CPU profiles of the workers. */
  profile?: string;
  /** Tells people what is going on. */
  say(what: string): void;
  /** Tells them how far what was said last has come, from 0 to 1. */
  at(share: number): void;
  /** What one scenario found and another builds on. */
  found: { throughput?: { perSecond: number; workerUs: number } };
};
