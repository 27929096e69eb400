export const clients = ['got', 'node:http', 'undici'] as const;
export type Client = (typeof clients)[number];

/** The request for a measurement: POSTs with a client, or jobs. */
export type FloorRequest =
  | { type: 'post'; client: Client; origin: string; count: number }
  | { type: 'work'; redisUrl: string | undefined; databaseUrl: string; count: number };
export type FloorMessage = { type: 'ready' } | { type: 'consuming' } | Done;

/** The time and the CPU time of the measurement, without the warm-up. */
export type Done = { type: 'done'; ms: number; cpuUs: number };

export const warmUp = 2_000;
export const floorQueues = { prefix: 'floor', first: 'first', second: 'second' };
