import { Button } from '../../components/button.js';
import { CommittedField } from '../../components/committed-field.js';
import { SelectField } from '../../components/fields.js';
import { stateOptions } from '../../labels/delivery-states.js';
import { errorOptions } from '../../resources/errors.js';
import { eventOptions } from '../../resources/events.js';
import { WebhookField } from '../../resources/webhooks.js';
import type { DeliveryFilters } from './delivery-filters.js';
import { TimeFilters } from './time-filters.js';

const any = { value: '', label: 'Any' };
const eventChoices = [any, ...eventOptions];
const errorChoices = [any, ...errorOptions];

/** The controls of the filters. On narrow pages, they are collapsed at first. */
export function FilterForm({ filters }: { filters: DeliveryFilters }) {
  const { texts, problems, change, clear } = filters;
  const filterCount = Object.keys(texts).length;
  const errorsOf = (name: string) => problems.filter((each) => each.name === name).map(({ problem }) => problem);
  return (
    <details className="filter-box" open={isWide()}>
      <summary>Filters{filterCount > 0 ? ` (${filterCount})` : ''}</summary>
      <StateFilter text={texts.status ?? ''} onChange={(status) => change({ status })} />
      <div className="filters" role="group" aria-label="Delivery filters">
        <SelectField
          label="Event"
          value={texts.event ?? ''}
          onChange={(event) => change({ event })}
          options={eventChoices}
          errors={errorsOf('event')}
        />
        <WebhookField
          label="Webhook"
          noneLabel="Any"
          value={texts.webhook_id ?? ''}
          onChange={(id) => change({ webhook_id: id })}
          errors={errorsOf('webhook_id')}
        />
        <CommittedField
          label="Number"
          inputMode="tel"
          value={texts.mobile ?? ''}
          onCommit={(mobile) => change({ mobile })}
        />
        <CommittedField
          label="Message id"
          value={texts.message_id ?? ''}
          onCommit={(id) => change({ message_id: id })}
        />
        <SelectField
          label="Error"
          value={texts.error ?? ''}
          onChange={(error) => change({ error })}
          options={errorChoices}
          errors={errorsOf('error')}
        />
        <CommittedField
          label="Response code"
          inputMode="numeric"
          value={texts.response_code ?? ''}
          onCommit={(code) => change({ response_code: code })}
          errors={errorsOf('response_code')}
        />
        <TimeFilters filters={filters} />
      </div>
      {filterCount > 0 && <Button onClick={clear}>Clear all filters</Button>}
    </details>
  );
}

const isWide = () => window.matchMedia('(min-width: 50rem)').matches;

function StateFilter({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const chosen = new Set(text.split(',').map((part) => part.trim()));
  const toggle = (value: string, isOn: boolean) => {
    const values = stateOptions
      .map((option) => option.value)
      .filter((state) => (state === value ? isOn : chosen.has(state)));
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
