export type BenchOptions = {
  backend: 'redis' | 'postgres';
  events: number;
  workers: number;
  /** A folder for CPU profiles of the workers. */
  profile?: string;
  /** Tells people what is going on. */
  say(what: string): void;
  /** What one scenario found and another builds on. */
  found: { perSecond?: number };
};
