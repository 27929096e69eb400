import { z } from 'zod';
import { channelOf, type EventName, eventNames } from '@ringback/callbacks';
import type { TestAttempt } from '@ringback/database';
import { attemptResource, attemptSchema } from '../deliveries/resource.js';

export const testCallSchema = z
  .object({
    id: z.uuid().describe('The `X-Ringback-Delivery` of the call, which is in no log.'),
    webhook_id: z.uuid(),
    event: z.enum(eventNames),
    payload: z.unknown().meta({ type: 'object' }),
    attempt: attemptSchema,
  })
  .meta({ id: 'TestCall' });

/** A test call that was made. */
export type TestCall = {
  id: string;
  webhookId: string;
  event: EventName;
  payload: string;
  createdAt: Date;
  attempt: TestAttempt;
};

/** A test call on the wire: the attempt as the delivery log shows attempts, of the kind `test`. */
export function testCallResource(call: TestCall): z.infer<typeof testCallSchema> {
  const { id, webhookId, event, payload, createdAt } = call;
  const called = { id, webhookId, event, payload, eventId: id, receivedAt: createdAt, channel: channelOf(event) };
  const attempt = attemptResource(called, { ...call.attempt, number: 1, kind: 'test' });
  return { id, webhook_id: webhookId, event, payload: JSON.parse(payload), attempt };
}
