import { Button } from '../../components/button.js';
import { CommittedField } from '../../components/committed-field.js';
import { SelectField } from '../../components/field.js';
import { WebhookField } from '../../components/webhook-field.js';
import { errorOptions } from '../../labels/errors.js';
import { eventOptions } from '../../labels/events.js';
import { stateOptions } from '../../labels/delivery-states.js';
import type { DeliveryFilters } from './delivery-filters.js';
import { TimeFilters } from './time-filters.js';

const any = { value: '', label: 'Any' };
const eventChoices = [any, ...eventOptions];
const errorChoices = [any, ...errorOptions];

/** The controls of the filters. They are collapsed on narrow pages. */
export function FilterForm({ filters }: { filters: DeliveryFilters }) {
  const { texts, problems, set, clear } = filters;
  const count = Object.keys(texts).length;
  const errorsOf = (name: string) => problems.filter((one) => one.name === name).map(({ problem }) => problem);
  return (
    <details className="filter-box" open={isWide()}>
      <summary>Filters{count > 0 ? ` (${count})` : ''}</summary>
      <StateFilter text={texts.status ?? ''} onChange={(status) => set({ status })} />
      <div className="filters" role="group" aria-label="Delivery filters">
        <SelectField
          label="Event"
          value={texts.event ?? ''}
          onChange={(event) => set({ event })}
          options={eventChoices}
          errors={errorsOf('event')}
        />
        <WebhookField
          label="Webhook"
          noneLabel="Any"
          value={texts.webhook_id ?? ''}
          onChange={(id) => set({ webhook_id: id })}
          errors={errorsOf('webhook_id')}
        />
        <CommittedField
          label="Number"
          inputMode="tel"
          value={texts.mobile ?? ''}
          onCommit={(mobile) => set({ mobile })}
        />
        <CommittedField label="Message id" value={texts.message_id ?? ''} onCommit={(id) => set({ message_id: id })} />
        <SelectField
          label="Error"
          value={texts.error ?? ''}
          onChange={(error) => set({ error })}
          options={errorChoices}
          errors={errorsOf('error')}
        />
        <CommittedField
          label="Response code"
          inputMode="numeric"
          value={texts.response_code ?? ''}
          onCommit={(code) => set({ response_code: code })}
          errors={errorsOf('response_code')}
        />
        <TimeFilters filters={filters} />
      </div>
      {count > 0 && <Button onClick={clear}>Clear all filters</Button>}
    </details>
  );
}

const isWide = () => window.matchMedia('(min-width: 50rem)').matches;

function StateFilter({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const chosen = new Set(text.split(',').map((part) => part.trim()));
  const toggle = (value: string, isOn: boolean) => {
    const values = stateOptions.map((option) => option.value).filter((one) => (one === value ? isOn : chosen.has(one)));
    onChange(values.join(','));
  };
  return (
    <fieldset className="checks">
      <legend>State</legend>
      {stateOptions.map(({ value, label }) => (
        <label className="check" key={value}>
          <input type="checkbox" checked={chosen.has(value)} onChange={({ target }) => toggle(value, target.checked)} />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
