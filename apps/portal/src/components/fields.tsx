import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId } from 'react';

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

export type Option<T extends string> = { value: T; label: string };

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
