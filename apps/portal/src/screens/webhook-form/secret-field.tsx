import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Field } from '../../components/fields.js';

type SecretFieldProps = { value: string; onChange: (value: string) => void; errors: string[] | undefined };

const secretBytes = 24;

/** The field of the Bearer secret, hidden until the user shows it. */
export function SecretField({ value, onChange, errors }: SecretFieldProps) {
  const [isShown, setShown] = useState(false);
  const generate = () => {
    const bytes = crypto.getRandomValues(new Uint8Array(secretBytes));
    onChange(
      btoa(String.fromCharCode(...bytes))
        .replaceAll('+', '-')
        .replaceAll('/', '_'),
    );
    setShown(true);
  };
  return (
    <Field
      label="Bearer secret"
      errors={errors}
      hint="Sent as “Authorization: Bearer …”. If empty, callbacks carry the account's callback token."
    >
      {(attributes) => (
        <div className="secret-field">
          <input
            {...attributes}
            type={isShown ? 'text' : 'password'}
            value={value}
            onChange={({ target }) => onChange(target.value)}
            maxLength={255}
            autoComplete="off"
            spellCheck={false}
          />
          <Button aria-pressed={isShown} onClick={() => setShown(!isShown)}>
            Show
          </Button>
          <Button onClick={generate}>Generate</Button>
        </div>
      )}
    </Field>
  );
}
