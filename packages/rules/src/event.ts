/** The events that platforms report. */
export const platformEventNames = ['sms:message:status', 'rcs:message:status', 'rcs:message:in'] as const;
/** The events that webhooks receive: those of platforms, and `webhook:paused`, which Ringback itself reports. */
export const eventNames = [...platformEventNames, 'webhook:paused'] as const;
export type EventName = (typeof eventNames)[number];

export const channels = ['sms', 'rcs'] as const;
export type Channel = (typeof channels)[number];

/** The channel whose delivery rules apply to an event. `webhook:paused` uses the SMS rules, which retry for longer. */
export function channelOf(event: EventName): Channel {
  return event === 'sms:message:status' || event === 'webhook:paused' ? 'sms' : 'rcs';
}

/** An event, reported by a platform or by Ringback. */
export type NewEvent = {
  name: EventName;
  accountId: string | null;
  webhookId: string | null;
  identity: string | null;
  /** The platform's own id of the event. */
  platformEventId: string | null;
  /** The JSON text of an object: the received bytes if they are known. */
  payload: string;
  /** `payload.id`; null when the event does not concern a message. */
  messageId: string | null;
  mobile: string | null;
};
