import type { Change } from '../../api/schemas.js';

const actionLabels: Partial<Record<Change['action'] | 'webhook.released', string>> = {
  'webhook.created': 'Created',
  'webhook.updated': 'Changed',
  'webhook.deleted': 'Deleted',
  'webhook.restored': 'Restored',
  'webhook.resumed': 'Resumed',
  // Recorded by processes of the previous version during an upgrade.
  'webhook.released': 'Resumed',
  'webhook.tested': 'Test call',
  'signing_secret.shown': 'Signing secret shown',
  'signing_secret.rotated': 'Signing secret replaced',
  'verification.started': 'Verification started',
};

/** The label of a change's action. */
export const actionLabel = (action: Change['action']) => actionLabels[action] ?? action;

const actorKindLabels: Record<string, string> = {
  token: 'Access token',
  platform_token: 'Platform token',
  portal: 'Portal session',
  operator: 'Operator',
};

/** The label of a change's actor: its name with its kind, or its kind with the start of its id, if it has one. */
export function actorLabel({ actor, actor_name: name }: Pick<Change, 'actor' | 'actor_name'>): string {
  const [kind = actor, id] = actor.split(':');
  const kindLabel = actorKindLabels[kind] ?? kind;
  if (name !== undefined) return `${name} (${kindLabel.toLowerCase()})`;
  return id === undefined ? kindLabel : `${kindLabel} ${id.slice(0, 8)}`;
}
