import { z } from 'zod';
import { channelOf, type EventName, eventNames } from '@ringback/rules';
import type { TestCallAttempt } from '@ringback/ledger';
import { attemptResource } from '../deliveries/resource.js';
import { attemptSchema } from '../deliveries/schema.js';

export const testCallSchema = z
  .object({
    id: z.uuid().describe('The `X-Ringback-Delivery` of the test call. The delivery log does not contain it.'),
    webhook_id: z.uuid(),
    event: z.enum(eventNames),
    payload: z.unknown().meta({ type: 'object' }),
    attempt: attemptSchema,
  })
  .meta({ id: 'TestCall' });

/** A completed test call. */
export type TestCall = {
  id: string;
  webhookId: string;
  event: EventName;
  payload: string;
  createdAt: Date;
  attempt: TestCallAttempt;
};

/** A test call in the format of the API, with an attempt of the kind `test`. */
export function testCallResource(call: TestCall): z.infer<typeof testCallSchema> {
  const { id, webhookId, event, payload, createdAt } = call;
  const context = {
    id,
    webhookId,
    eventName: event,
    payload,
    eventId: id,
    receivedAt: createdAt,
    channel: channelOf(event),
  };
  const attempt = attemptResource(context, { ...call.attempt, number: 1, kind: 'test' });
  return { id, webhook_id: webhookId, event, payload: JSON.parse(payload), attempt };
}
