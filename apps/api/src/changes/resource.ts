import { z } from 'zod';
import { type Change, changeActions } from '@ringback/database';
import { time, timestamp } from '../http/envelope.js';

const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const changeSchema = z
  .object({
    id: z.uuid(),
    at: time,
    actor: z.string().describe('The author: `token:` and the id of an access token, or `operator`.'),
    action: z.enum(changeActions),
    object_type: z.enum(['account', 'token', 'webhook', 'subscription', 'delivery', 'replay']),
    object_id: z.string(),
    changed: z
      .array(z.object({ field: z.string(), before: value.optional(), after: value.optional() }))
      .describe('The changed fields. `before` and `after` are left out when they would reveal a secret.'),
  })
  .meta({ id: 'Change' });

/** A change in the format of the API. */
export const changeResource = ({ id, at, actor, action, objectType, objectId, changed }: Change) => ({
  id,
  at: timestamp(at),
  actor,
  action,
  object_type: objectType,
  object_id: objectId,
  changed,
});
