export type BenchOptions = {
  backend: 'redis' | 'postgres';
  events: number;
  workers: number;
  /** Tells people what is going on. */
  say(what: string): void;
  /** What one scenario found and another builds on. */
  found: { perSecond?: number };
};
