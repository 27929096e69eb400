import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { unwrap } from '../api/client.js';
import type { DeliveryState, ErrorClass, EventName } from '../api/schemas.js';
import { useAnnounce } from '../components/announcer.js';
import { Button } from '../components/button.js';
import { FormErrorList, SelectField, TextField } from '../components/fields.js';
import { stateOptions } from '../resources/deliveries.js';
import { errorOptions } from '../resources/errors.js';
import { eventOptions } from '../resources/events.js';
import { WebhookField } from '../resources/webhooks.js';
import { usePreferences } from '../session/preferences.js';
import { useApi } from '../session/session.js';
import { formatCount, fromZonedInput, toZonedInput } from '../text/format.js';

/** The values of the form of a new replay. */
type ReplayForm = {
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

const newReplayForm = (webhookId: string): ReplayForm => ({
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
const replayStates = ['failed', 'skipped', 'delivered'] as const;

/** The body of the request that counts or starts the replay. Empty fields are left out. */
function toReplayRequest(form: ReplayForm, isDryRun: boolean) {
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
function formProblems({ states, rate, webhookId }: ReplayForm): Partial<Record<keyof ReplayForm, string>> {
  return {
    ...(webhookId === '' ? { webhookId: 'Choose a webhook.' } : {}),
    ...(states.length === 0 ? { states: 'Choose at least one state.' } : {}),
    ...(/^\d+$/.test(rate) && Number(rate) >= 1 && Number(rate) <= 1_000
      ? {}
      : { rate: 'It must be a whole number from 1 to 1,000.' }),
  };
}

type NewReplayProps = { webhookId: string; onClose: () => void };

/** Starts a replay. It first counts the matching deliveries, and the user confirms the number. */
export function NewReplay({ webhookId, onClose }: NewReplayProps) {
  const [form, setForm] = useState(() => newReplayForm(webhookId));
  const [wasSubmitted, setSubmitted] = useState(false);
  const { count, start } = useReplayRequests(form, onClose);
  const problems = wasSubmitted ? formProblems(form) : {};
  const change = (changes: Partial<ReplayForm>) => {
    setForm({ ...form, ...changes });
    // The count does not match the changed filter.
    count.reset();
    start.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (Object.keys(formProblems(form)).length === 0 && !count.isPending) count.mutate();
  };
  const failure = start.error ?? count.error;
  const fieldErrors = failure ? Object.values(failure.errors).flat() : [];
  return (
    <section className="new-replay" aria-labelledby="new-replay">
      <h2 id="new-replay">New replay</h2>
      <form onSubmit={submit} noValidate>
        <FilterFields form={form} change={change} problems={problems} />
        <FormErrorList messages={failure && fieldErrors.length === 0 ? [failure.message] : fieldErrors} />
        <CountResult count={count.data} rate={Number(form.rate)} />
        <div className="actions">
          <Button type="submit" {...(count.data ? {} : { variant: 'primary' as const })} isBusy={count.isPending}>
            Count deliveries
          </Button>
          {count.data !== undefined && count.data.count > 0 && (
            <Button variant="primary" isBusy={start.isPending} onClick={() => start.mutate()}>
              Send {describeCount(count.data)} again
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </section>
  );
}

function useReplayRequests(form: ReplayForm, onClose: () => void) {
  const api = useApi();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const send = async (isDryRun: boolean) => {
    const params = { path: { id: form.webhookId } };
    const body = toReplayRequest(form, isDryRun);
    return (await unwrap(api.POST('/developer/webhooks/{id}/replay', { params, body }))).data;
  };
  const count = useMutation({
    mutationFn: async () => {
      const { count = 0, complete = true } = await send(true);
      return { count, complete };
    },
  });
  const start = useMutation({
    mutationFn: () => send(false),
    onSuccess: async () => {
      announce('The replay was started. Its progress is in the list.');
      await queries.invalidateQueries({ queryKey: ['replays'] });
      onClose();
    },
  });
  return { count, start };
}

type ReplayCount = { count: number; complete: boolean };

const describeCount = ({ count, complete }: ReplayCount) => `${formatCount(count)}${complete ? '' : ' or more'}`;

function CountResult({ count, rate }: { count: ReplayCount | undefined; rate: number }) {
  return (
    <div role="status" className="count-result">
      {count?.count === 0 && <p className="notice">No delivery matches, so there is nothing to send.</p>}
      {count !== undefined && count.count > 0 && (
        <p className="notice">
          <strong>{describeCount(count)}</strong> {count.count === 1 ? 'delivery matches' : 'deliveries match'}. At{' '}
          {formatCount(rate)} per second, this takes {count.complete ? 'about' : 'at least'}{' '}
          {describeDuration(count.count / rate)}.
        </p>
      )}
    </div>
  );
}

function describeDuration(seconds: number): string {
  if (seconds < 90) return `${formatCount(Math.max(1, Math.ceil(seconds)))} s`;
  return seconds < 5_400 ? `${formatCount(Math.round(seconds / 60))} minutes` : `${(seconds / 3_600).toFixed(1)} hours`;
}

const any = { value: '', label: 'Any' } as const;

type FilterFieldsProps = {
  form: ReplayForm;
  change: (changes: Partial<ReplayForm>) => void;
  problems: Partial<Record<keyof ReplayForm, string>>;
};

/** The fields that select the deliveries of a replay and set its rate. */
function FilterFields({ form, change, problems }: FilterFieldsProps) {
  const errorsOf = (field: keyof ReplayForm) => (problems[field] === undefined ? [] : [problems[field]]);
  return (
    <>
      <div className="filters">
        <WebhookField
          label="Webhook"
          noneLabel="Choose a webhook"
          value={form.webhookId}
          onChange={(webhookId) => change({ webhookId })}
          errors={errorsOf('webhookId')}
        />
        <TextField
          label="Deliveries per second"
          inputMode="numeric"
          value={form.rate}
          onChange={(rate) => change({ rate })}
          errors={errorsOf('rate')}
        />
      </div>
      <StateFields form={form} change={change} problems={problems} />
      <div className="filters">
        <SelectField
          label="Event"
          value={form.event}
          onChange={(event) => change({ event })}
          options={[any, ...eventOptions]}
        />
        <SelectField
          label="Error"
          value={form.error}
          onChange={(error) => change({ error })}
          options={[any, ...errorOptions]}
        />
        <TextField
          label="Response code"
          inputMode="numeric"
          value={form.responseCode}
          onChange={(responseCode) => change({ responseCode })}
        />
        <TextField label="Number" inputMode="tel" value={form.mobile} onChange={(mobile) => change({ mobile })} />
        <TextField label="Message id" value={form.messageId} onChange={(messageId) => change({ messageId })} />
        <TimeFields form={form} change={change} />
      </div>
    </>
  );
}

function StateFields({ form, change, problems }: FilterFieldsProps) {
  const toggle = (state: (typeof replayStates)[number], isOn: boolean) =>
    change({ states: replayStates.filter((each) => (each === state ? isOn : form.states.includes(each))) });
  return (
    <fieldset className="replay-states" aria-describedby={problems.states === undefined ? undefined : 'states-problem'}>
      <legend>State</legend>
      {replayStates.map((state) => (
        <label className="check" key={state}>
          <input
            type="checkbox"
            checked={form.states.includes(state)}
            onChange={({ target }) => toggle(state, target.checked)}
          />
          {stateOptions.find(({ value }) => value === state)?.label}
        </label>
      ))}
      <div className="field-errors" id="states-problem" aria-live="polite">
        {problems.states !== undefined && <p>{problems.states}</p>}
      </div>
    </fieldset>
  );
}

function TimeFields({ form, change }: Omit<FilterFieldsProps, 'problems'>) {
  const { zone } = usePreferences();
  return (
    <>
      {(['since', 'until'] as const).map((name) => (
        <TextField
          key={name}
          label={name === 'since' ? 'Created from' : 'Created until'}
          hint={name === 'since' ? `Time zone: ${zone}` : undefined}
          type="datetime-local"
          value={form[name] === '' ? '' : toZonedInput(form[name], zone)}
          onChange={(text) => change({ [name]: fromZonedInput(text, zone) })}
        />
      ))}
    </>
  );
}
