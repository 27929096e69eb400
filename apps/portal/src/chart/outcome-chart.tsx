import { useState } from 'react';
import { Segments } from '../components/segments.js';
import type { Statistics } from '../data/schemas.js';
import { eventLabel, eventNames } from '../labels/events.js';
import { Chart } from './chart.js';
import type { Series } from './chart-props.js';
import { outcomeSeries } from './outcome-series.js';

type Split = 'outcome' | 'event';

const splits = [
  { value: 'outcome', label: 'By outcome' },
  { value: 'event', label: 'By event' },
] as const;

/** Callbacks over time. */
export function OutcomeChart({ statistics }: { statistics: Pick<Statistics, 'buckets' | 'interval'> }) {
  const [split, setSplit] = useState<Split>('outcome');
  const { buckets, interval } = statistics;
  return (
    <section aria-labelledby="callbacks">
      <div className="section-header">
        <h2 id="callbacks">Callbacks over time</h2>
        <Segments label="Split" value={split} onChange={setSplit} options={splits} />
      </div>
      <Chart
        label={split === 'outcome' ? 'Callbacks by outcome' : 'Callbacks by event'}
        starts={buckets.map(({ start }) => start)}
        interval={interval}
        series={split === 'outcome' ? outcomeSeries(buckets) : eventSeries(buckets)}
      />
    </section>
  );
}

/** The attempts for each event that has any. */
function eventSeries(buckets: Statistics['buckets']): Series[] {
  const used = eventNames.filter((event) => buckets.some(({ by_event }) => by_event[event]));
  return (used.length > 0 ? used : eventNames.slice(0, 1)).map((event) => ({
    label: eventLabel(event),
    style: `series-${eventNames.indexOf(event) + 1}`,
    values: buckets.map(({ by_event }) => by_event[event]?.attempts ?? 0),
  }));
}
