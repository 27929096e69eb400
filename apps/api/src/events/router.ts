import { Router } from 'express';
import type { PlatformEvent } from '@ringback/callbacks';
import { batched, batchSize } from '@ringback/database';
import { takeEvents } from '@ringback/intake';
import type { ApiDeps } from '../app.js';
import { answer } from '../http/envelope.js';
import { allowOnly } from '../http/errors.js';
import { eventCatalogue } from './catalogue.js';
import { readEvents } from './input.js';

/** `GET /developer/events`: what events there are. */
export function eventCatalogueRouter(): Router {
  const router = Router();
  router
    .route('/developer/events')
    .get((_request, response) => answer(response, 'OK', eventCatalogue()))
    .all(allowOnly('GET', 'HEAD'));
  return router;
}

/** `POST /events`: what a platform without a BullMQ client pushes. 202 once the events are durable. */
export function eventsRouter({ db, waker, metrics, traces }: ApiDeps): Router {
  const router = Router();
  const take = (events: PlatformEvent[]) => takeEvents({ db, waker, traces }, events);
  // Events of different requests that come one by one are stored together.
  const takeOne = batched(take, { most: batchSize });
  router
    .route('/events')
    .post(async (request, response) => {
      const events = readEvents(request.body);
      const [only] = events;
      const taken = only && events.length === 1 ? [await takeOne(only)] : await take(events);
      metrics.eventsTaken(taken);
      const ids = taken.map(({ eventId }) => ({ id: eventId }));
      answer(response, 'Accepted', ids, { code: 202 });
    })
    .all(allowOnly('POST'));
  return router;
}
