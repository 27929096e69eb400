import { useId } from 'react';
import type { Option } from './field.js';

type SegmentsProps<T extends string> = {
  /** Names the choice: "Time range". */
  label: string;
  value: T;
  onChange: (value: T) => void;
  options: readonly Option<T>[];
};

/** A choice between a few short options: radio buttons in a row. */
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
