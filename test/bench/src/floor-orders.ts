export const clients = ['got', 'node:http', 'undici'] as const;
export type Client = (typeof clients)[number];

export type Order =
  | { type: 'post'; client: Client; origin: string; count: number }
  | { type: 'work'; redisUrl: string | undefined; databaseUrl: string; count: number };
/** `working`: the workers stand. `done`: all has been done, in so long and with so much CPU; a warm-up is in neither. */
export type Said = { type: 'ready' } | { type: 'working' } | Done;

export type Done = { type: 'done'; ms: number; cpuUs: number };

export const warmUp = 2_000;
export const floorQueues = { prefix: 'floor', first: 'first', second: 'second' };
