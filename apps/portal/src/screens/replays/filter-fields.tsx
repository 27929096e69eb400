import { SelectField, TextField } from '../../components/fields.js';
import { stateOptions } from '../../labels/delivery-states.js';
import { errorOptions } from '../../resources/errors.js';
import { eventOptions } from '../../resources/events.js';
import { WebhookField } from '../../resources/webhooks.js';
import { usePreferences } from '../../session/preferences.js';
import { fromZonedInput, toZonedInput } from '../../text/zoned-time.js';
import { type ReplayForm, replayStates } from './replay-form.js';

const any = { value: '', label: 'Any' } as const;

type FilterFieldsProps = {
  form: ReplayForm;
  change: (changes: Partial<ReplayForm>) => void;
  problems: Partial<Record<keyof ReplayForm, string>>;
};

/** The fields that select the deliveries of a replay and set its rate. */
export function FilterFields({ form, change, problems }: FilterFieldsProps) {
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
