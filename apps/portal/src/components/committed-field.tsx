import { type InputHTMLAttributes, type ReactNode, useState } from 'react';
import { Field } from './fields.js';

type CommittedFieldProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onChange'> & {
  label: string;
  hint?: ReactNode;
  errors?: readonly string[] | undefined;
  value: string;
  /** Called with the changed text when the user leaves the field or presses Enter. */
  onCommit: (text: string) => void;
};

/** A text field that reports its text when the user leaves it or presses Enter, not on each key. */
export function CommittedField({ label, hint, errors, value, onCommit, ...input }: CommittedFieldProps) {
  const [draft, setDraft] = useState<string>();
  const commit = (text: string) => {
    setDraft(undefined);
    if (text.trim() !== value) onCommit(text.trim());
  };
  return (
    <Field label={label} hint={hint} errors={errors}>
      {(attributes) => (
        <input
          type="text"
          autoComplete="off"
          spellCheck={false}
          {...input}
          {...attributes}
          value={draft ?? value}
          onChange={({ target }) => setDraft(target.value)}
          onBlur={({ target }) => commit(target.value)}
          onKeyDown={({ key, currentTarget }) => key === 'Enter' && commit(currentTarget.value)}
        />
      )}
    </Field>
  );
}
