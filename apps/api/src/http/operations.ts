import { z } from 'zod';
import { under } from '../openapi/operation.js';
import { degraded } from './health.js';

const nothing = z.array(z.never());

export const serviceOperations = under('Service', [
  {
    id: 'getDocument',
    at: 'GET /openapi.json',
    summary: 'This document',
    caller: 'anybody',
    answer: { type: 'application/json' },
    example: {},
  },
  {
    id: 'getDocs',
    at: 'GET /docs',
    summary: 'This document as a page',
    caller: 'anybody',
    atRoot: true,
    answer: { type: 'text/html' },
    example: {},
  },
  {
    id: 'getHealth',
    at: 'GET /healthz',
    summary: 'Whether the process answers',
    caller: 'anybody',
    atRoot: true,
    answer: { message: 'OK', data: nothing },
    example: { data: [] },
  },
  {
    id: 'getReadiness',
    at: 'GET /readyz',
    summary: 'Whether the database answers, too',
    about: 'The message says when the queue does not: only test calls need it.',
    caller: 'anybody',
    atRoot: true,
    answer: { message: ['OK', degraded], data: nothing },
    errors: [503],
    example: { data: [] },
  },
  {
    id: 'getMetrics',
    at: 'GET /metrics',
    summary: 'What the process tells of itself, for Prometheus',
    caller: 'anybody',
    atRoot: true,
    answer: { type: 'text/plain' },
    example: {},
  },
]);
