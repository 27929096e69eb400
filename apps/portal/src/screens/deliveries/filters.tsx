import { Button } from '../../components/button.js';
import { CommittedField, SelectField } from '../../components/fields.js';
import { deliveryStates, stateOptions } from '../../resources/deliveries.js';
import { errorClasses, errorOptions } from '../../resources/errors.js';
import { eventNames, eventOptions } from '../../resources/events.js';
import {
  choiceFilter,
  choicesFilter,
  type Filters,
  idFilter,
  numberFilter,
  textFilter,
  timeFilter,
} from '../../resources/filters.js';
import { WebhookField } from '../../resources/webhooks.js';
import { usePreferences } from '../../session/preferences.js';
import { fromZonedInput, toUtc, toZonedInput } from '../../text/format.js';

/** The parsers of the filters in the URL, which have the same names as in the API. */
export const deliveryFilterParsers = {
  status: choicesFilter(deliveryStates),
  event: choiceFilter(eventNames),
  webhook_id: idFilter,
  mobile: textFilter(),
  message_id: textFilter(),
  response_code: numberFilter(100, 999),
  error: choiceFilter(errorClasses),
  since: timeFilter,
  until: timeFilter,
};

type DeliveryFilters = Filters<typeof deliveryFilterParsers>;

/** Converts the filters to query parameters of the API. */
export function toQuery(values: DeliveryFilters['values']): Record<string, string> {
  const { status, response_code: code, ...others } = values;
  const texts = { ...others, status: status?.join(','), response_code: code?.toString() };
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[`filter[${name}]`, text]])),
  );
}

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

const ranges = [
  { label: 'Last hour', hours: 1 },
  { label: 'Last 24 hours', hours: 24 },
  { label: 'Last 7 days', hours: 168 },
];

/** The filters for the creation time of deliveries, in the user's time zone. */
function TimeFilters({ filters: { values, change } }: { filters: DeliveryFilters }) {
  const { zone } = usePreferences();
  const inZone = (time: string | undefined) => (time === undefined ? '' : toZonedInput(time, zone));
  return (
    <>
      <CommittedField
        label="From"
        type="datetime-local"
        value={inZone(values.since)}
        onCommit={(text) => change({ since: fromZonedInput(text, zone) })}
        hint={`Time zone: ${zone}`}
      />
      <CommittedField
        label="Until"
        type="datetime-local"
        value={inZone(values.until)}
        onCommit={(text) => change({ until: fromZonedInput(text, zone) })}
      />
      <div className="quick-times" role="group" aria-label="Common time ranges">
        {ranges.map(({ label, hours }) => (
          <Button variant="quiet" key={hours} onClick={() => change({ since: hoursAgo(hours), until: undefined })}>
            {label}
          </Button>
        ))}
      </div>
    </>
  );
}

const hoursAgo = (hours: number) => toUtc(Date.now() - hours * 3_600_000);
