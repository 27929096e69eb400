import { formatMs } from '../text/numbers.js';

export type Phase = { label: string; ms: number };

/** The phases of a request, in order, as a bar and as a list. */
export function PhaseMeter({ label, phases }: { label: string; phases: readonly Phase[] }) {
  const total = phases.reduce((sum, { ms }) => sum + ms, 0);
  return (
    <figure className="meter">
      <figcaption>
        {label}: {formatMs(total)}
      </figcaption>
      <div className="meter-bar" aria-hidden="true">
        {phases.map((phase, index) => (
          <span className={`series-${index + 1}`} style={{ flexGrow: phase.ms }} key={phase.label} />
        ))}
      </div>
      <ul className="legend">
        {phases.map((phase, index) => (
          <li key={phase.label}>
            <span className={`swatch series-${index + 1}`} aria-hidden="true" />
            {phase.label} {formatMs(phase.ms)}
          </li>
        ))}
      </ul>
    </figure>
  );
}

type ProgressProps = { label: string; value: number; max: number | null };

/** The progress of a long task. If `max` is null, the bar shows only that the task is running. */
export function Progress({ label, value, max }: ProgressProps) {
  return max === null ? <progress aria-label={label} /> : <progress aria-label={label} value={value} max={max} />;
}
