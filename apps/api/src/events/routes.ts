import { Router } from 'express';
import { Batcher, ingestBatch, ingestEvents, reportIngested } from '@ringback/ledger';
import type { NewEvent } from '@ringback/rules';
import { isNdjson } from '../http/body.js';
import type { ApiDeps } from '../http/deps.js';
import { allowOnly, sendSuccess } from '../http/response.js';
import type { Routes } from '../http/routes.js';
import { eventCatalogue } from './catalogue.js';
import { pushLines } from './lines.js';
import { pushedEventResource, readEvents } from './schema.js';

/**
 * `POST /events`: takes events from platforms without a BullMQ client. The response is 202 when the events are durable.
 */
export function eventsRouter({ reservedDb, bulkDb, metrics, tracer, log }: ApiDeps): Router {
  const deps = { db: reservedDb, tracer, log };
  const bulkDeps = { ...deps, db: bulkDb };
  const reporting = { log, events: metrics.events };
  // Concurrent requests with a single event share a statement.
  const singleEvents = new Batcher((events: NewEvent[]) => ingestBatch(deps, events));
  const ingestAndReport = async (events: NewEvent[]) => {
    const [only] = events;
    const results = only && events.length === 1 ? [await singleEvents.run(only)] : await ingestEvents(bulkDeps, events);
    results.forEach((result, index) => reportIngested(reporting, events[index]?.name ?? '', result));
    return results;
  };
  const router = Router();
  router
    .route('/events')
    .post(async (request, response) => {
      if (isNdjson(request)) return pushLines({ log, ingest: ingestAndReport }, request, response);
      const results = await ingestAndReport(readEvents(request.body, request.get('Idempotency-Key')));
      sendSuccess(response, 'Accepted', results.map(pushedEventResource), { code: 202 });
    })
    .all(allowOnly('POST'));
  return router;
}

export const eventKindRoutes = (): Routes => ({
  'GET /developer/events': (_request, response) => sendSuccess(response, 'OK', eventCatalogue()),
});
