import type { DeliveryState, ErrorClass, EventName, Replay } from '../../api/schemas.js';

/** The values of the form of a new replay. */
export type ReplayForm = {
  webhookId: string;
  states: DeliveryState[];
  event: EventName | '';
  error: ErrorClass | '';
  responseCode: string;
  messageId: string;
  mobile: string;
  since: string;
  until: string;
  rate: string;
};

export const newReplayForm = (webhookId: string): ReplayForm => ({
  webhookId,
  states: ['failed', 'skipped'],
  event: '',
  error: '',
  responseCode: '',
  messageId: '',
  mobile: '',
  since: '',
  until: '',
  rate: '50',
});

/** The states that the filter of a replay may select: all but pending. */
export const replayStates = ['failed', 'skipped', 'delivered'] as const;

/** The body of the request that counts or starts the replay. Empty fields are left out. */
export function toReplayRequest(form: ReplayForm, isDryRun: boolean) {
  const fields = {
    status: form.states.join(','),
    event: form.event,
    error: form.error,
    response_code: form.responseCode.trim(),
    message_id: form.messageId.trim(),
    mobile: form.mobile.trim(),
    since: form.since,
    until: form.until,
  };
  const filter = Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== ''));
  return { filter, dry_run: isDryRun, rate: Number(form.rate) };
}

/** The problems of the form, by field, that are found before a request is sent. */
export function formProblems({ states, rate, webhookId }: ReplayForm): Partial<Record<keyof ReplayForm, string>> {
  return {
    ...(webhookId === '' ? { webhookId: 'Choose a webhook.' } : {}),
    ...(states.length === 0 ? { states: 'Choose at least one state.' } : {}),
    ...(/^\d+$/.test(rate) && Number(rate) >= 1 && Number(rate) <= 1_000
      ? {}
      : { rate: 'It must be a whole number from 1 to 1,000.' }),
  };
}

/** Whether the replay has not ended: it makes more deliveries pending. */
export const isRunning = ({ state }: Replay) => state === 'running';
