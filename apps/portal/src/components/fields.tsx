import {
  type InputHTMLAttributes,
  type ReactNode,
  type TextareaHTMLAttributes,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';

type ControlAttributes = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined };

type FieldProps = {
  label: string;
  hint?: ReactNode | undefined;
  errors?: readonly string[] | undefined;
  /** Renders the control. The attributes connect it to its label, hint and errors. */
  children: (attributes: ControlAttributes) => ReactNode;
};

/** A control with its label, a hint and its errors. */
export function Field({ label, hint, errors = [], children }: FieldProps) {
  const id = useId();
  const describedBy = [hint !== undefined && `${id}-hint`, errors.length > 0 && `${id}-errors`]
    .filter(Boolean)
    .join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': describedBy || undefined, 'aria-invalid': errors.length > 0 || undefined })}
      {hint !== undefined && (
        <div className="hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
      <div className="field-errors" id={`${id}-errors`} aria-live="polite">
        {errors.map((error) => (
          <p key={error}>{error}</p>
        ))}
      </div>
    </div>
  );
}

type CommonProps = Omit<FieldProps, 'children'> & { value: string; onChange: (value: string) => void };

type TextFieldProps = CommonProps & Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onChange'>;

export function TextField({ label, hint, errors, onChange, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} errors={errors}>
      {(attributes) => (
        <input type="text" {...input} {...attributes} onChange={({ target }) => onChange(target.value)} />
      )}
    </Field>
  );
}

type TextAreaProps = CommonProps & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'value' | 'onChange'>;

export function TextAreaField({ label, hint, errors, onChange, ...input }: TextAreaProps) {
  return (
    <Field label={label} hint={hint} errors={errors}>
      {(attributes) => <textarea {...input} {...attributes} onChange={({ target }) => onChange(target.value)} />}
    </Field>
  );
}

type Option<T extends string> = { value: T; label: string };

type SelectFieldProps<T extends string> = Omit<FieldProps, 'children'> & {
  value: T;
  onChange: (value: T) => void;
  options: readonly Option<T>[];
  disabled?: boolean;
};

export function SelectField<T extends string>({
  label,
  hint,
  errors,
  onChange,
  options,
  ...rest
}: SelectFieldProps<T>) {
  return (
    <Field label={label} hint={hint} errors={errors}>
      {(attributes) => (
        <select {...rest} {...attributes} onChange={({ target }) => onChange(target.value as T)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** The errors of a form that belong to none of its controls. */
export function FormErrorList({ messages }: { messages: readonly string[] }) {
  return (
    <div className="form-errors" role="alert">
      {messages.map((message) => (
        <p key={message}>{message}</p>
      ))}
    </div>
  );
}

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
