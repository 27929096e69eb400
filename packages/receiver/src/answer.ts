import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from './faults.js';
import { simulateFault } from './simulate-fault.js';

/** An HTTP response, sent after a delay, or a fault. */
export type Answer = { status: number; body?: string; headers?: Record<string, string>; delayMs?: number } | Fault;

/** Answers a request with a response or a fault. */
export function sendAnswer(answer: Answer, request: IncomingMessage, response: ServerResponse): void {
  if (typeof answer === 'string') return simulateFault(answer, request, response);
  setTimeout(() => {
    response.writeHead(answer.status, answer.headers);
    response.end(answer.body);
  }, answer.delayMs ?? 0);
}
