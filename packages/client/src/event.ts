/** An SMS delivery report. Other fields are passed on unchanged. */
export type SmsReport = {
  /** The id of the message, at most 255 characters. */
  id: string;
  mobile?: string;
  /** DELIVRD, UNDELIV, EXPIRED, REJECTD … */
  status?: string;
  credits?: string;
  units?: number;
  deliv_time?: string;
  sent_time?: string;
  submit_time?: string;
  /** Unix timestamps in seconds, as text. */
  deliv_at?: string;
  sent_at?: string;
  submit_at?: string;
  cid?: string;
  custom?: string;
  [field: string]: unknown;
};

/** A status change of an RCS message. Times are in ISO 8601. */
export type RcsStatus = {
  id: string;
  channel?: string;
  from?: string;
  to?: string;
  /** sent, delivered, read, failed or deleted. */
  status?: string;
  delivered_at?: string | null;
  read_at?: string | null;
  processed_at?: string | null;
  timestamp?: string;
  foreign_id?: string | null;
  [field: string]: unknown;
};

/** An inbound RCS message. */
export type RcsInbound = {
  id: string;
  channels?: { name: string; to: string }[];
  recipient?: { from?: string; user?: Record<string, unknown> };
  message?: { type: string; payload: Record<string, unknown> };
  [field: string]: unknown;
};

/** Without `account_id` the event belongs to the account of the webhook. */
type Target = { account_id: string; webhook_id?: string } | { account_id?: string; webhook_id: string };

type OptionalFields = {
  /**
   * The platform's id of the account's sender that the event concerns, such as `number:1`. Subscriptions select events
   * by it.
   */
  identity?: string;
  /**
   * The platform's own id of the event. An event that is pushed again with this id does not cause another callback.
   * Without it, an event is the same as an earlier one if nothing in it differs.
   */
  event_id?: string;
};

type Report =
  | { event: 'sms:message:status'; payload: SmsReport }
  | { event: 'rcs:message:status'; payload: RcsStatus }
  | { event: 'rcs:message:in'; payload: RcsInbound };

/** A platform's event. Without `webhook_id`, the event goes to the account's webhooks that are subscribed to it. */
export type ProducedEvent = Report & Target & OptionalFields;

export type Producer = {
  /** Pushes one or more events. If it rejects, some of them may be stored, and all can safely be pushed again. */
  push(events: ProducedEvent | ProducedEvent[]): Promise<unknown>;
  close(): Promise<void>;
};
