import { z } from 'zod';
import { type Change, changeActions } from '@ringback/database';
import { time, timestamp } from '../http/envelope.js';

const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const changeSchema = z
  .object({
    id: z.uuid(),
    at: time,
    actor: z.string().describe('`token:` and the id of an access token, or `operator`: whoever runs the service.'),
    action: z.enum(changeActions),
    object_type: z.enum(['account', 'token', 'webhook', 'subscription', 'delivery', 'replay']),
    object_id: z.string(),
    changed: z
      .array(z.object({ field: z.string(), before: value.optional(), after: value.optional() }))
      .describe(
        'Fields that have another value now. `before` and `after` are left out where they would tell a secret.',
      ),
  })
  .meta({ id: 'Change' });

/** A change on the wire. */
export const changeResource = ({ id, at, actor, action, objectType, objectId, changed }: Change) => ({
  id,
  at: timestamp(at),
  actor,
  action,
  object_type: objectType,
  object_id: objectId,
  changed,
});
