import { Link } from 'wouter';
import { useWebhookName } from '../data/webhook-choices.js';
import { Untrusted } from './untrusted.js';

/** A link to a webhook: its name, or the start of its id if the name is unknown. */
export function WebhookLink({ id }: { id: string }) {
  const name = useWebhookName(id);
  return <Link href={`/webhooks/${id}`}>{name === undefined ? `${id.slice(0, 8)}…` : <Untrusted text={name} />}</Link>;
}
