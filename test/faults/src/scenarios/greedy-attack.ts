// The calls of the greedy account. They are made by a process of their own, which runs this file, so that their CPU
// time is not part of the measurement.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setInterval, setTimeout as sleep } from 'node:timers/promises';

type Attack = { baseUrl: string; greedy: Greedy; connections: number };

/** The report of the attacking process: its CPU time in ms, and the number of responses with each status. */
type AttackReport = { cpuMs: number; answered: [status: number, count: number][] };

/** Starts a process that makes the calls of the greedy account. */
export function startAttack(attack: Attack) {
  const child = fork(import.meta.filename);
  let report: AttackReport = { cpuMs: 0, answered: [] };
  child.on('message', (message) => (report = message as AttackReport));
  const exited = once(child, 'exit');
  child.send(attack);
  return {
    answered: (): ReadonlyMap<number, number> => new Map(report.answered),
    cpuMs: () => report.cpuMs,
    async stop() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** The result of a call. The status is 0 if there was no response. */
export type Answer = { status: number; tookMs: number };

/** Creates a function that calls the management API with a token. A call is aborted after `timeoutMs`. */
export const createCaller =
  (baseUrl: string, token: string) =>
  async (method: string, path: string, body?: object, timeoutMs = 30_000): Promise<Answer> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(timeoutMs);
    const startedAt = performance.now();
    const answerWith = (status: number) => ({ status, tookMs: performance.now() - startedAt });
    try {
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers,
        signal,
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      await response.arrayBuffer();
      return answerWith(response.status);
    } catch {
      return answerWith(0);
    }
  };

type CallOptions = { connections: number; pauseMs?: number; onAnswer(answer: Answer): void };

/**
 * Makes the calls in turn over `connections` connections until the returned function is called. Each connection pauses
 * for `pauseMs` after a response.
 */
export function keepCalling(
  calls: (() => Promise<Answer>)[],
  { connections, pauseMs = 0, onAnswer }: CallOptions,
): () => Promise<void> {
  let count = 0;
  let isOver = false;
  const useConnection = async () => {
    while (!isOver) {
      const answer = await calls[count++ % calls.length]?.();
      if (answer) onAnswer(answer);
      await sleep(pauseMs);
    }
  };
  const loops = Array.from({ length: connections }, useConnection);
  return async () => {
    isOver = true;
    await Promise.all(loops);
  };
}

/** The account that overloads the API. */
export type Greedy = { token: string; webhookId: string };

const query = (filter: Record<string, string>) =>
  new URLSearchParams({
    per_page: '100',
    ...Object.fromEntries(Object.entries(filter).map(([name, value]) => [`filter[${name}]`, value])),
  }).toString();

/** The slowest known calls of each kind. */
function worstCalls(baseUrl: string, { token, webhookId }: Greedy): (() => Promise<Answer>)[] {
  const call = createCaller(baseUrl, token);
  const letters = Array.from({ length: 20 }, (_, index) => `${String.fromCharCode(99 + index)}z`).join(',');
  const hook = { name: 'greedy', uri: 'https://example.com/?a={{id}}' };
  const template = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`k${index}`, '{{ payload.id }}']));
  return [
    () => call('GET', `/developer/webhooks?${query({ name: letters, trashed: 'with' })}`),
    () => call('GET', `/developer/webhooks?${query({ name: 'a'.repeat(250) })}`),
    () => call('GET', `/developer/webhooks?${query({ name: letters })}&page=50`),
    () => call('GET', `/developer/deliveries?${query({ mobile: '910000000000', response_code: '418' })}`),
    () => call('GET', `/developer/deliveries?${query({ message_id: 'same', error: 'timeout' })}`),
    () => call('GET', '/developer/messages/same'),
    () => call('GET', '/developer/changes?per_page=100'),
    () => call('POST', `/developer/webhooks/${webhookId}/replay`, { dry_run: true, filter: { status: 'delivered' } }),
    () => call('POST', '/developer/webhooks/preview', { event: 'rcs:message:status', payload: template }),
    () => call('PUT', `/developer/webhooks/${webhookId}`, hook),
    () => call('POST', '/developer/webhooks', hook),
    () => call('POST', `/developer/webhooks/${webhookId}/test`, { event: 'sms:message:status' }),
    // The client disconnects while the statement runs.
    () => call('GET', `/developer/webhooks?${query({ name: letters, trashed: 'only' })}`, undefined, 50),
  ];
}

const reportEveryMs = 100;

async function attack({ baseUrl, greedy, connections }: Attack): Promise<void> {
  const answered = new Map<number, number>();
  const countAnswer = ({ status }: Answer) => void answered.set(status, (answered.get(status) ?? 0) + 1);
  const before = process.cpuUsage();
  keepCalling(worstCalls(baseUrl, greedy), { connections, onAnswer: countAnswer });
  for await (const _ of setInterval(reportEveryMs)) {
    const { user, system } = process.cpuUsage(before);
    const report: AttackReport = { cpuMs: Math.round((user + system) / 1_000), answered: [...answered] };
    process.send?.(report);
  }
}

if (process.argv[1] === import.meta.filename) {
  process.once('message', (message) => void attack(message as Attack));
  // The process of the scenario has ended.
  process.on('disconnect', () => process.exit(0));
}
