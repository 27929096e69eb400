import type { EventName } from './event.js';

/** The body of a callback without a template: the flat report for SMS, `{event, payload}` for all other events. */
export function plainBody(event: EventName, payload: string): string {
  return event === 'sms:message:status' ? payload : `{"event":${JSON.stringify(event)},"payload":${payload}}`;
}
