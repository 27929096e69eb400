/** An SMS delivery report. Other fields are passed on as they are. */
export type SmsReport = {
  /** Of the message: up to 255 characters. */
  id: string;
  mobile?: string;
  /** DELIVRD, UNDELIV, EXPIRED, REJECTD … */
  status?: string;
  credits?: string;
  units?: number;
  deliv_time?: string;
  sent_time?: string;
  submit_time?: string;
  /** Unix timestamps, as texts. */
  deliv_at?: string;
  sent_at?: string;
  submit_at?: string;
  cid?: string;
  custom?: string;
  [field: string]: unknown;
};

/** A change of an RCS message's status. Times are ISO 8601. */
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

/** An RCS message of a user. */
export type RcsInbound = {
  id: string;
  channels?: { name: string; to: string }[];
  recipient?: { from?: string; user?: Record<string, unknown> };
  message?: { type: string; payload: Record<string, unknown> };
  [field: string]: unknown;
};

/** The account may be left out when the webhook is given: it is then the webhook's. */
type Target = { account_id: string; webhook_id?: string } | { account_id?: string; webhook_id: string };

type Extras = {
  /** Whom of the account it concerns, such as `number:1`: chooses among its subscriptions. */
  identity?: string;
  /** The platform's own id: the same event again makes no second callback. */
  event_id?: string;
};

type Report =
  | { event: 'sms:message:status'; payload: SmsReport }
  | { event: 'rcs:message:status'; payload: RcsStatus }
  | { event: 'rcs:message:in'; payload: RcsInbound };

/** What a platform reports. Without `webhook_id` the subscriptions of the account decide who is called. */
export type ProducedEvent = Report & Target & Extras;

export type Producer = {
  /** Pushes one event, or several. When it rejects, some may have been taken: pushing all of them again is harmless. */
  push(events: ProducedEvent | ProducedEvent[]): Promise<void>;
  close(): Promise<void>;
};
