import type { DeliveryState, ErrorClass, EventName, Replay } from '../../data/schemas.js';

/** The filter of a new replay, as the form has it. */
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

/** The states whose deliveries can be sent again. */
export const replayStates = ['failed', 'skipped', 'delivered'] as const;

/** The body of the request. Empty fields are left out. */
export function toBody(form: ReplayForm, isDryRun: boolean) {
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

/** What is wrong with the form before it is sent. */
export function formProblems({ states, rate, webhookId }: ReplayForm): Partial<Record<keyof ReplayForm, string>> {
  return {
    ...(webhookId === '' ? { webhookId: 'Choose a webhook.' } : {}),
    ...(states.length === 0 ? { states: 'Choose at least one state.' } : {}),
    ...(/^\d+$/.test(rate) && Number(rate) >= 1 && Number(rate) <= 1_000
      ? {}
      : { rate: 'It must be a whole number from 1 to 1,000.' }),
  };
}

/** Whether the replay makes further deliveries pending. */
export const isRunning = ({ state }: Replay) => state === 'running';
