import { useId } from 'react';
import type { Option } from './fields.js';

type SegmentsProps<T extends string> = {
  /** Names the choice, such as "Time range". */
  label: string;
  value: T;
  onChange: (value: T) => void;
  options: readonly Option<T>[];
};

/** A segmented control: radio buttons in a row, for a few short options. */
export function Segments<T extends string>({ label, value, onChange, options }: SegmentsProps<T>) {
  const name = useId();
  return (
    <div className="segments" role="radiogroup" aria-label={label}>
      {options.map((option) => (
        <label key={option.value}>
          <input type="radio" name={name} checked={option.value === value} onChange={() => onChange(option.value)} />
          {option.label}
        </label>
      ))}
    </div>
  );
}
