import { type ReactNode, useState } from 'react';
import type { Counts, Statistics } from '../api/schemas.js';
import { Chart, type Series } from '../components/chart.js';
import { Segments } from '../components/fields.js';
import { Skeleton } from '../components/states.js';
import { eventLabel, eventNames } from './events.js';

type Figure = { label: string; value: string; note?: ReactNode };

/** The most important numbers of statistics, each with a note. */
export function KeyFigures({ figures }: { figures: readonly Figure[] }) {
  return (
    <section aria-label="Key figures">
      <dl className="tiles">
        {figures.map(({ label, value, note }) => (
          <div className="tile" key={label}>
            <dt>{label}</dt>
            <dd className="tile-value">{value}</dd>
            <dd className="hint">{note || '\u00a0'}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

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

const outcomes = [
  { key: 'delivered', label: 'Delivered' },
  { key: 'retried', label: 'Failed, retried' },
  { key: 'failed', label: 'Failed for good' },
  { key: 'skipped', label: 'Skipped' },
] as const;

/** One series for each outcome. Skipped deliveries get one only if there are any. */
const outcomeSeries = (buckets: readonly Counts[]): Series[] =>
  outcomes
    .filter(({ key }) => key !== 'skipped' || buckets.some((bucket) => bucket.skipped > 0))
    .map(({ key, label }) => ({ label, style: key, values: buckets.map((bucket) => bucket[key]) }));

/** A placeholder for the key figures and the chart while they load, with the same height. */
export function FiguresSkeleton() {
  return (
    <>
      <section>
        <Skeleton height="6rem" />
      </section>
      <section>
        <Skeleton height="20.5rem" />
      </section>
    </>
  );
}
