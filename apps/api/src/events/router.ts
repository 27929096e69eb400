import { Router } from 'express';
import type { NewEvent } from '@ringback/rules';
import { createBatcher, defaultBatchSize, ingestEvents, logIngested } from '@ringback/ledger';
import type { ApiDeps } from '../deps.js';
import { sendSuccess } from '../http/output/envelope.js';
import { allowOnly } from '../http/output/errors.js';
import { eventCatalogue } from './catalogue.js';
import { isNdjson } from '../http/input/body.js';
import { readEvents } from './input.js';
import { pushedEvent, pushLines } from './push-lines.js';

/** `GET /developer/events`: the kinds of events. */
export function eventCatalogueRouter(): Router {
  const router = Router();
  router
    .route('/developer/events')
    .get((_request, response) => sendSuccess(response, 'OK', eventCatalogue()))
    .all(allowOnly('GET', 'HEAD'));
  return router;
}

/**
 * `POST /events`: takes events from platforms without a BullMQ client. The response is 202 when the events are durable.
 */
export function eventsRouter({ db, waker, metrics, tracer, log }: ApiDeps): Router {
  const router = Router();
  const ingest = (events: NewEvent[]) => ingestEvents({ db, waker, tracer }, events);
  // Concurrent requests with a single event share a statement.
  const ingestOne = createBatcher(ingest, { maxSize: defaultBatchSize });
  const ingestAndReport = async (events: NewEvent[]) => {
    const [only] = events;
    const results = only && events.length === 1 ? [await ingestOne(only)] : await ingest(events);
    metrics.recordEvents(results);
    results.forEach((result, index) => logIngested(log, events[index]?.name ?? '', result));
    return results;
  };
  router
    .route('/events')
    .post(async (request, response) => {
      if (isNdjson(request)) return pushLines({ log, ingest: ingestAndReport }, request, response);
      const results = await ingestAndReport(readEvents(request.body, request.get('Idempotency-Key')));
      sendSuccess(response, 'Accepted', results.map(pushedEvent), { code: 202 });
    })
    .all(allowOnly('POST'));
  return router;
}
