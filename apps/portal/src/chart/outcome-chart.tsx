import { useState } from 'react';
import type { Statistics } from '../api/schemas.js';
import { Chart } from '../components/chart.js';
import { Segments } from '../components/segments.js';
import { eventLabel, eventNames } from '../resources/events.js';
import type { Series } from './chart-props.js';
import { outcomeSeries } from './outcome-series.js';

type Grouping = 'outcome' | 'event';

const groupings = [
  { value: 'outcome', label: 'By outcome' },
  { value: 'event', label: 'By event' },
] as const;

/** A chart of attempts over time, by outcome or by event. */
export function OutcomeChart({ statistics }: { statistics: Pick<Statistics, 'buckets' | 'interval'> }) {
  const [grouping, setGrouping] = useState<Grouping>('outcome');
  const { buckets, interval } = statistics;
  return (
    <section aria-labelledby="attempts-over-time">
      <div className="section-header">
        <h2 id="attempts-over-time">Attempts over time</h2>
        <Segments label="Group by" value={grouping} onChange={setGrouping} options={groupings} />
      </div>
      <Chart
        label={grouping === 'outcome' ? 'Attempts by outcome' : 'Attempts by event'}
        starts={buckets.map(({ start }) => start)}
        interval={interval}
        series={grouping === 'outcome' ? outcomeSeries(buckets) : eventSeries(buckets)}
      />
    </section>
  );
}

/** One series for each event that has attempts. If there are no attempts, one empty series. */
function eventSeries(buckets: Statistics['buckets']): Series[] {
  const eventsWithAttempts = eventNames.filter((event) => buckets.some(({ by_event }) => by_event[event]));
  return (eventsWithAttempts.length > 0 ? eventsWithAttempts : eventNames.slice(0, 1)).map((event) => ({
    label: eventLabel(event),
    style: `series-${eventNames.indexOf(event) + 1}`,
    values: buckets.map(({ by_event }) => by_event[event]?.attempts ?? 0),
  }));
}
