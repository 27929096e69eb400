import { Router } from 'express';
import { takeEvents } from '@ringback/intake';
import type { ApiDeps } from '../app.js';
import { answer } from '../http/envelope.js';
import { allowOnly } from '../http/errors.js';
import { readEvents } from './input.js';

/** `POST /events`: what a platform without a BullMQ client pushes. 202 once the events are durable. */
export function eventsRouter({ db, queues, metrics, traces }: ApiDeps): Router {
  const router = Router();
  router
    .route('/events')
    .post(async (request, response) => {
      const taken = await takeEvents({ db, queues, traces }, readEvents(request.body));
      metrics.eventsTaken(taken);
      const ids = taken.map(({ eventId }) => ({ id: eventId }));
      answer(response, 'Accepted', ids, { code: 202 });
    })
    .all(allowOnly('POST'));
  return router;
}
