import { z } from 'zod';
import { type Change, changeActions } from '@ringback/ledger';
import { timestampSchema, formatTimestamp } from '../http/output/timestamp.js';

const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const changeSchema = z
  .object({
    id: z.uuid(),
    at: timestampSchema,
    actor: z
      .string()
      .describe(
        'The author: `token:` and the id of an access token, `platform_token:` and that of a platform token, ' +
          '`portal:` and that of a portal session, or `operator`.',
      ),
    actor_name: z.string().optional().describe('The `actor` of the portal session; present when it has one.'),
    action: z.enum(changeActions),
    object_type: z.enum(['account', 'token', 'portal_session', 'webhook', 'subscription', 'delivery', 'replay']),
    object_id: z.string(),
    changed: z
      .array(z.object({ field: z.string(), before: value.optional(), after: value.optional() }))
      .describe('The changed fields. `before` and `after` are left out for `secret`, `token` and `payload`.'),
  })
  .meta({ id: 'Change' });

/** Splits the actor of a portal session, in which the name of the portal user may follow the id after a space. */
function splitActor(actor: string): { actor: string; actor_name?: string } {
  const [, actorWithoutName = actor, name] = /^(portal:\S+) ([^]*)$/.exec(actor) ?? [];
  return { actor: actorWithoutName, ...(name === undefined ? {} : { actor_name: name }) };
}

/** A change in the format of the API. */
export const changeResource = ({ id, at, actor, action, objectType, objectId, changed }: Change) => ({
  id,
  at: formatTimestamp(at),
  ...splitActor(actor),
  action,
  object_type: objectType,
  object_id: objectId,
  changed,
});
