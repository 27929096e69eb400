import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { Button, ButtonLink } from '../../components/button.js';
import { FormErrorList, TextField } from '../../components/fields.js';
import { printable } from '../../text/untrusted.js';
import { EventChoices } from '../webhook-form/event-choices.js';
import { SecretField } from '../webhook-form/secret-field.js';
import { TemplateFields } from '../webhook-form/template-fields.js';
import type { FormControls } from './form-values.js';
import { PreviewPanel } from './preview.js';
import '../webhook-form/webhook-form.css';

type WebhookFormProps = FormControls & {
  /** The number of failed saves. After each one, the first field with an error gets the focus. */
  failedSaves: number;
  isNew: boolean;
  isBusy: boolean;
  onSave: () => void;
  cancelHref: string;
  /** A notice above the fields. */
  notice?: ReactNode;
  /** Sections below the form, beside the preview. */
  children?: ReactNode;
};

const fieldsWithControl = ['name', 'uri', 'payload', 'secret', 'rate_limit', 'token'];

/** The form of a webhook, with a preview of its callback. */
export function WebhookFormView(props: WebhookFormProps) {
  const { form, change, errors, failedSaves, isNew, isBusy, onSave, cancelHref, notice, children } = props;
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (failedSaves > 0) element.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [failedSaves]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isBusy) onSave();
  };
  const otherErrors = Object.entries(errors).filter(([field]) => !fieldsWithControl.includes(field));
  return (
    <div className="form-with-preview">
      <div>
        <form ref={element} onSubmit={submit} noValidate>
          {notice}
          <FormErrorList messages={otherErrors.flatMap(([, messages]) => messages ?? [])} />
          <MainFields {...props} />
          {isNew && <EventChoices events={form.events} onChange={(events) => change({ events })} />}
          <TemplateFields form={form} change={change} errors={errors} />
          <CallbackFields {...props} />
          <div className="actions">
            <Button type="submit" variant="primary" isBusy={isBusy}>
              {isNew ? 'Create webhook' : 'Save'}
            </Button>
            <ButtonLink href={cancelHref}>Cancel</ButtonLink>
          </div>
        </form>
        {children}
      </div>
      <PreviewPanel form={form} />
    </div>
  );
}

/** A hint that shows the hidden characters of the name. An input does not show them. */
const hiddenCharactersHint = (name: string) =>
  printable(name) === name ? undefined : `The name has hidden characters: ${printable(name)}`;

function MainFields({ form, change, errors }: FormControls) {
  return (
    <>
      <TextField
        label="Name"
        value={form.name}
        onChange={(name) => change({ name })}
        errors={errors.name}
        hint={hiddenCharactersHint(form.name)}
        maxLength={255}
        autoComplete="off"
      />
      <TextField
        label="Address (uri)"
        value={form.uri}
        onChange={(uri) => change({ uri })}
        errors={errors.uri}
        hint="An http or https URL. Query values may contain placeholders, such as ?message={{id}}."
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
      />
    </>
  );
}

function CallbackFields({ form, change, errors, isNew }: FormControls & { isNew: boolean }) {
  return (
    <fieldset>
      <legend>Callbacks</legend>
      <SecretField value={form.secret} onChange={(secret) => change({ secret })} errors={errors.secret} />
      {isNew && (
        <TextField
          label="Verification token"
          value={form.token}
          onChange={(token) => change({ token })}
          errors={errors.token}
          hint="Optional. With a token, the receiver is verified by a challenge. The settings show the result."
          autoComplete="off"
          spellCheck={false}
        />
      )}
      <TextField
        label="Maximum callbacks per second"
        value={form.rateLimit}
        onChange={(rateLimit) => change({ rateLimit })}
        errors={errors.rate_limit}
        hint="1 to 1,000. Empty means no limit."
        inputMode="numeric"
        autoComplete="off"
      />
      <label className="check">
        <input
          type="checkbox"
          checked={form.isSigned}
          onChange={({ target }) => change({ isSigned: target.checked })}
        />
        Sign callbacks
      </label>
      <label className="check">
        <input
          type="checkbox"
          checked={form.isActive}
          onChange={({ target }) => change({ isActive: target.checked })}
        />
        Active: the webhook gets callbacks
      </label>
    </fieldset>
  );
}
