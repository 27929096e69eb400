import { type Answer, createCaller } from '../traffic-http.js';

/** The account that overloads the API. */
export type Greedy = { token: string; webhookId: string };

const query = (filter: Record<string, string>) =>
  new URLSearchParams({
    per_page: '100',
    ...Object.fromEntries(Object.entries(filter).map(([name, value]) => [`filter[${name}]`, value])),
  }).toString();

/** The slowest known calls of each kind. */
export function worstCalls(baseUrl: string, { token, webhookId }: Greedy): (() => Promise<Answer>)[] {
  const call = createCaller(baseUrl, token);
  const letters = Array.from({ length: 20 }, (_, index) => `${String.fromCharCode(99 + index)}z`).join(',');
  const hook = { name: 'greedy', uri: 'https://example.com/?a={{id}}' };
  const template = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`k${index}`, '{{ payload.id }}']));
  return [
    () => call('GET', `/developer/webhooks?${query({ name: letters, trashed: 'with' })}`),
    () => call('GET', `/developer/webhooks?${query({ name: 'a'.repeat(250) })}`),
    () => call('GET', `/developer/webhooks?${query({ name: letters })}&page=50`),
    () => call('GET', `/developer/deliveries?${query({ mobile: '910000000000', response_code: '418' })}`),
    () => call('GET', `/developer/deliveries?${query({ message_id: 'same', error: 'timeout' })}`),
    () => call('GET', '/developer/messages/same'),
    () => call('GET', '/developer/changes?per_page=100'),
    () => call('POST', `/developer/webhooks/${webhookId}/replay`, { dry_run: true, filter: { status: 'delivered' } }),
    () => call('POST', '/developer/webhooks/preview', { event: 'rcs:message:status', payload: template }),
    () => call('PUT', `/developer/webhooks/${webhookId}`, hook),
    () => call('POST', '/developer/webhooks', hook),
    () => call('POST', `/developer/webhooks/${webhookId}/test`, { event: 'sms:message:status' }),
    // The client disconnects while the statement runs.
    () => call('GET', `/developer/webhooks?${query({ name: letters, trashed: 'only' })}`, undefined, 50),
  ];
}
