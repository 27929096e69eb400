import { usePreferences } from '../session/preferences.js';
import { formatShortCount } from '../text/numbers.js';
import type { ChartProps } from './chart-props.js';
import { roundUp, tickIndexes } from './scale.js';

type BarsProps = ChartProps & {
  width: number;
  height: number;
  /** The index of the selected bucket. */
  current: number | undefined;
};

const axisHeight = 20;

/** The SVG image of a chart, hidden from screen readers. Chart has the text alternative. */
export function Bars({ starts, interval, series, width, height, current }: BarsProps) {
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
