import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { Bars } from '../chart/bars.js';
import type { ChartProps, Series } from '../chart/chart-props.js';
import { ChartTable } from '../chart/chart-table.js';
import { useWidth } from '../chart/use-width.js';
import { usePreferences } from '../session/preferences.js';
import { formatCount } from '../text/numbers.js';

/** A stacked bar chart over time. The arrow keys move through the buckets, and a table shows the same numbers. */
export function Chart(props: ChartProps) {
  const { label, starts, interval, series, height = 200 } = props;
  const { time } = usePreferences();
  const { ref, width } = useWidth();
  const [current, setCurrent] = useState<number>();
  const last = starts.length - 1;
  const select = (index: number) => setCurrent(Math.min(last, Math.max(0, index)));
  const describe = (index: number) =>
    `${time.bucket(starts[index] ?? '', interval)}: ${series.map((each) => `${each.label} ${formatCount(each.values[index] ?? 0)}`).join(', ')}`;
  const onKeyDown = (event: KeyboardEvent) => {
    const to = { ArrowRight: (current ?? -1) + 1, ArrowLeft: (current ?? last + 1) - 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    select(to);
  };
  const onPointerMove = ({ clientX, currentTarget }: PointerEvent) => {
    const box = currentTarget.getBoundingClientRect();
    select(Math.floor(((clientX - box.left) / box.width) * starts.length));
  };
  const shown = current === undefined || current > last ? undefined : current;
  return (
    <figure className="chart">
      <Legend series={series} />
      <div
        className="chart-area"
        ref={ref}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={shown ?? 0}
        aria-valuetext={shown === undefined ? 'Use the arrow keys to read the values' : describe(shown)}
        onKeyDown={onKeyDown}
        onPointerMove={onPointerMove}
        onPointerLeave={() => setCurrent(undefined)}
        style={{ height }}
      >
        <Bars {...props} width={width} height={height} current={shown} />
      </div>
      <p className="chart-reading" aria-hidden="true">
        {shown === undefined ? '\u00a0' : describe(shown)}
      </p>
      <ChartTable label={label} starts={starts} interval={interval} series={series} />
    </figure>
  );
}

function Legend({ series }: { series: readonly Series[] }) {
  return (
    <ul className="legend">
      {series.map(({ label, style, values }) => (
        <li key={label}>
          <span className={`swatch ${style}`} aria-hidden="true" />
          {label} <strong>{formatCount(values.reduce((sum, value) => sum + value, 0))}</strong>
        </li>
      ))}
    </ul>
  );
}
