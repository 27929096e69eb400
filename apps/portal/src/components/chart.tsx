import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { usePreferences } from '../session/preferences.js';
import { formatCount, formatShortCount, type Interval } from '../text/format.js';
import { useWidth } from './measure.js';
import { type Column, Table } from './table.js';

export type Series = {
  label: string;
  /** A class of styles/chart.css: `delivered`, `retried`, `failed`, `skipped` or `series-1` to `series-5`. */
  style: string;
  values: readonly number[];
};

type ChartProps = {
  /** Names the chart, such as "Attempts by outcome". */
  label: string;
  /** The start of each bucket. */
  starts: readonly string[];
  interval: Interval;
  series: readonly Series[];
  height?: number;
};

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

type BarsProps = ChartProps & {
  width: number;
  height: number;
  /** The index of the selected bucket. */
  current: number | undefined;
};

const axisHeight = 20;

/** The SVG image of a chart, hidden from screen readers. Chart has the text alternative. */
function Bars({ starts, interval, series, width, height, current }: BarsProps) {
  const { time } = usePreferences();
  if (width === 0) return null;
  const innerHeight = height - axisHeight;
  const totals = starts.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const top = roundUp(Math.max(1, ...totals));
  const step = width / Math.max(1, starts.length);
  const y = (value: number) => innerHeight - (value / top) * innerHeight;
  return (
    <svg width={width} height={height} aria-hidden="true">
      {[0, 0.5, 1].map((share) => (
        <line className="grid" key={share} x1={0} x2={width} y1={y(top * share)} y2={y(top * share)} />
      ))}
      {current !== undefined && <rect className="cursor" x={current * step} y={0} width={step} height={innerHeight} />}
      {series.map(({ label, style, values }, level) => (
        <path className={style} key={label} d={barsOf({ values, below: series.slice(0, level), step, y })} />
      ))}
      <text className="tick" x={2} y={11}>
        {formatShortCount(top)}
      </text>
      {tickIndexes(starts.length, Math.max(2, Math.floor(width / 110))).map((index) => (
        <text className="tick" key={index} x={index * step} y={height - 5}>
          {time.bucket(starts[index] ?? '', interval)}
        </text>
      ))}
    </svg>
  );
}

type Layer = {
  values: readonly number[];
  below: readonly { values: readonly number[] }[];
  step: number;
  y: (value: number) => number;
};

/** One path with all bars of a series. */
function barsOf({ values, below, step, y }: Layer): string {
  const gap = step > 4 ? 1 : 0;
  return values
    .map((value, index) => {
      if (value === 0) return '';
      const start = below.reduce((sum, layer) => sum + (layer.values[index] ?? 0), 0);
      const from = y(start);
      const to = y(start + value);
      // A single failure among thousands stays visible.
      const height = Math.max(1.5, from - to);
      return `M${(index * step).toFixed(1)} ${from.toFixed(1)}v${(-height).toFixed(1)}h${(step - gap).toFixed(1)}v${height.toFixed(1)}z`;
    })
    .join('');
}

/** The smallest round number, such as 1, 1.5, 2 or 300, that is at least the value. Below 1, it is 1. */
function roundUp(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return (
    [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((factor) => factor * power).find((candidate) => candidate >= value) ??
    value
  );
}

/** At most `maxTicks` evenly spaced indexes of a list of `count` items, starting with 0. */
function tickIndexes(count: number, maxTicks: number): number[] {
  const step = Math.max(1, Math.ceil(count / maxTicks));
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step);
}

type Bucket = { start: string; index: number };

/** The numbers of a chart as a table, without empty buckets. */
function ChartTable({ label, starts, interval, series }: ChartProps) {
  const { time } = usePreferences();
  const [isOpen, setOpen] = useState(false);
  const columns: Column<Bucket>[] = [
    { header: 'Start', isRowHeader: true, cell: ({ start }) => time.bucket(start, interval) },
    ...series.map(({ label: header, values }): Column<Bucket> => ({
      header,
      align: 'end',
      cell: ({ index }) => formatCount(values[index] ?? 0),
    })),
  ];
  const rows = starts
    .map((start, index) => ({ start, index }))
    .filter(({ index }) => series.some(({ values }) => (values[index] ?? 0) > 0));
  return (
    <details className="chart-table" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>View as a table</summary>
      {isOpen && rows.length === 0 && <p className="hint">There is no data in this time range.</p>}
      {isOpen && rows.length > 0 && (
        <Table caption={label} columns={columns} rows={rows} rowKey={({ start }) => start} />
      )}
    </details>
  );
}
