type SparklineProps = {
  /** The text alternative. */
  label: string;
  delivered: readonly number[];
  failed: readonly number[];
};

const width = 96;
const height = 24;

/** A small bar chart: delivered above the line, failed below it. */
export function Sparkline({ label, delivered, failed }: SparklineProps) {
  const top = Math.max(1, ...delivered, ...failed);
  const step = width / Math.max(1, delivered.length);
  const middle = height * 0.65;
  const bars = (values: readonly number[], maxSize: number) =>
    values
      .map((value, index) => {
        const size = value === 0 ? 0 : Math.sign(maxSize) * Math.max(1.5, (value / top) * Math.abs(maxSize));
        return size === 0
          ? ''
          : `M${(index * step).toFixed(1)} ${middle}v${size.toFixed(1)}h${Math.max(1, step - 0.5).toFixed(1)}v${(-size).toFixed(1)}z`;
      })
      .join('');
  return (
    <svg
      className="sparkline"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
    >
      <line className="grid" x1={0} x2={width} y1={middle} y2={middle} />
      <path className="delivered" d={bars(delivered, -middle)} />
      <path className="failed" d={bars(failed, height - middle)} />
    </svg>
  );
}
