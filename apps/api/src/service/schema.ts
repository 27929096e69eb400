import { tagOperations } from '../http/operation.js';
import { emptyList } from '../http/response.js';

/**
 * The message of `/readyz` while the queue engine is unavailable. Only test calls need the queue engine: verifications
 * are enqueued later.
 */
export const degradedMessage =
  'Degraded: the queue does not respond. Test calls are refused; all other requests are served.';

export const serviceOperations = tagOperations('Service', [
  {
    id: 'getDocument',
    route: 'GET /openapi.json',
    summary: 'Get this document',
    callerKind: 'anyone',
    response: { type: 'application/json' },
    example: {},
  },
  {
    id: 'getDocs',
    route: 'GET /docs',
    summary: 'Show this document as a page',
    callerKind: 'anyone',
    atRoot: true,
    response: { type: 'text/html' },
    example: {},
  },
  {
    id: 'getHealth',
    route: 'GET /healthz',
    summary: 'Check that the process is running',
    callerKind: 'anyone',
    atRoot: true,
    response: { message: 'OK', data: emptyList },
    example: { data: [] },
  },
  {
    id: 'getReadiness',
    route: 'GET /readyz',
    summary: 'Check that the database responds and accepts writes',
    description: 'The message says if the queue engine does not respond. Only test calls need the queue engine.',
    callerKind: 'anyone',
    atRoot: true,
    response: { message: ['OK', degradedMessage], data: emptyList },
    errors: [503],
    example: { data: [] },
  },
  {
    id: 'getMetrics',
    route: 'GET /metrics',
    summary: 'Get the metrics of this process, for Prometheus',
    callerKind: 'anyone',
    atRoot: true,
    response: { type: 'text/plain' },
    example: {},
  },
]);
