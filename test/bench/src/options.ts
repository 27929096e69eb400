export type BenchOptions = {
  backend: 'redis' | 'postgres';
  events: number;
  workers: number;
  /** A PostgreSQL server where the benchmark creates its databases. Undefined if it starts its own server. */
  databaseUrl: string | undefined;
  /** Deliveries that wait in `pending`, `backlog` and `claims`. */
  pending: number;
  /** The maximum number of deliveries in `growth`, of webhooks in `api`, and of calls in `statistics`. */
  rows: number;
  /** The folder of another built checkout, which `ingest-paths` measures first. */
  against?: string;
  /** An additional round-trip time to PostgreSQL and Redis in `ingest-paths`, in ms. */
  distanceMs: number;
  /** A folder for CPU profiles of the workers. */
  profile?: string;
  /** Shows the current step. */
  setStep(step: string): void;
  /** Shows the completed fraction of the current step, from 0 to 1. */
  setFraction(fraction: number): void;
  /** Figures that one scenario measures and another one uses. */
  shared: { throughput?: { perSecond: number; workerUs: number } };
};
