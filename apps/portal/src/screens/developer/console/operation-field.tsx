import { Field } from '../../../components/field.js';
import type { Operation } from '../api-document.js';

type OperationFieldProps = { operations: Operation[]; value: string; onChange: (id: string) => void };

/** Lets the user choose an operation of the API, grouped by tag. */
export function OperationField({ operations, value, onChange }: OperationFieldProps) {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  return (
    <Field label="Operation">
      {(attributes) => (
        <select {...attributes} value={value} onChange={({ target }) => onChange(target.value)}>
          {tags.map((tag) => (
            <optgroup label={tag} key={tag}>
              {operations
                .filter((operation) => operation.tag === tag)
                .map(({ id, summary, method, path }) => (
                  <option key={id} value={id}>
                    {summary}: {method} {path}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
      )}
    </Field>
  );
}
