import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from './faults.js';
import { simulateFault } from './simulate-fault.js';

/** How the receiver answers a request: with an HTTP response, which may be delayed, or with a fault. */
export type Answer = { status: number; body?: string; headers?: Record<string, string>; delayMs?: number } | Fault;

/** Sends the response, or simulates the fault. */
export function sendAnswer(answer: Answer, request: IncomingMessage, response: ServerResponse): void {
  if (typeof answer === 'string') return simulateFault(answer, request, response);
  setTimeout(() => {
    response.writeHead(answer.status, answer.headers);
    response.end(answer.body);
  }, answer.delayMs ?? 0);
}
