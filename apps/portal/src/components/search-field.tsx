import { useEffect, useRef, useState } from 'react';
import { Field } from './fields.js';

type SearchFieldProps = {
  label: string;
  hint?: string;
  /** The text that the list is filtered by. */
  value: string;
  onSearch: (text: string) => void;
};

const delayMs = 400;

/** A text field that filters a list: 400 ms after the last change, or at once with Enter. */
export function SearchField({ label, hint, value, onSearch }: SearchFieldProps) {
  const [draft, setDraft] = useState<string>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const search = (text: string) => {
    clearTimeout(timer.current);
    setDraft(undefined);
    if (text.trim() !== value) onSearch(text.trim());
  };
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <input
          type="search"
          {...attributes}
          value={draft ?? value}
          maxLength={255}
          autoComplete="off"
          onChange={({ target }) => {
            setDraft(target.value);
            clearTimeout(timer.current);
            timer.current = setTimeout(() => search(target.value), delayMs);
          }}
          onKeyDown={({ key, currentTarget }) => key === 'Enter' && search(currentTarget.value)}
        />
      )}
    </Field>
  );
}
