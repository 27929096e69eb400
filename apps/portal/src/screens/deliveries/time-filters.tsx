import { Button } from '../../components/button.js';
import { CommittedField } from '../../components/committed-field.js';
import { usePreferences } from '../../session/preferences.js';
import { fromZonedInput, toUtc, toZonedInput } from '../../text/zoned-time.js';
import type { DeliveryFilters } from './delivery-filters.js';

const ranges = [
  { label: 'Last hour', hours: 1 },
  { label: 'Last 24 hours', hours: 24 },
  { label: 'Last 7 days', hours: 168 },
];

/** The filters for the creation time of deliveries, in the user's time zone. */
export function TimeFilters({ filters: { values, change } }: { filters: DeliveryFilters }) {
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
