import { Link } from 'wouter';
import { useWebhookName } from '../data/webhook-choices.js';
import { Untrusted } from './untrusted.js';

/** The name of a webhook, as a link to it; the start of its id when there is no name. */
export function WebhookName({ id }: { id: string }) {
  const name = useWebhookName(id);
  return <Link href={`/webhooks/${id}`}>{name === undefined ? `${id.slice(0, 8)}…` : <Untrusted text={name} />}</Link>;
}
