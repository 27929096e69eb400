import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { ApiFailure } from '../../api/failure.js';
import type { EventName } from '../../api/schemas.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Field, FormErrorList, Segments, TextAreaField, TextField } from '../../components/fields.js';
import { useUnsavedWarning } from '../../layout/unsaved-changes.js';
import { eventLabel, eventNames } from '../../resources/events.js';
import { indentJson } from '../../text/json.js';
import { printable } from '../../text/untrusted.js';
import { type FormControls, type FormErrors, templateProblem, toFormErrors, type WebhookForm } from './form-values.js';
import { PreviewPanel } from './preview.js';
import './webhooks.css';

/** API field names of the controls that are named differently. */
const apiNames: Partial<Record<keyof WebhookForm, string>> = {
  template: 'payload',
  hasTemplate: 'payload',
  rateLimit: 'rate_limit',
  tlsCa: 'tls',
};

/** The state of the form of a new or an existing webhook. */
export function useWebhookForm(initial: WebhookForm) {
  const [form, setForm] = useState(initial);
  const [errors, setErrors] = useState<FormErrors>({});
  const [failedSaves, setFailedSaves] = useState(0);
  useUnsavedWarning(form !== initial);
  const change = (changes: Partial<WebhookForm>) => {
    setForm((current) => ({ ...current, ...changes }));
    const changed = Object.keys(changes).map((key) => apiNames[key as keyof WebhookForm] ?? key);
    // An API error is out of date once its field changes.
    setErrors((current) => Object.fromEntries(Object.entries(current).filter(([name]) => !changed.includes(name))));
  };
  const fail = (newErrors: FormErrors) => {
    setErrors(newErrors);
    setFailedSaves((count) => count + 1);
  };
  /** Calls `send` if the template is valid JSON or not used. Otherwise shows the error. */
  const save = (send: () => void) => {
    const problem = templateProblem(form);
    if (problem !== undefined) return fail({ payload: [problem] });
    setErrors({});
    send();
  };
  /** Replaces the values of the form, such as with those of a webhook that was changed meanwhile. */
  const replace = (values: WebhookForm) => {
    setForm(values);
    setErrors({});
  };
  return {
    form,
    errors,
    failedSaves,
    change,
    replace,
    save,
    onError: (failure: ApiFailure) => fail(toFormErrors(failure)),
  };
}

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

const fieldsWithControl = ['name', 'uri', 'payload', 'secret', 'rate_limit', 'tls', 'token'];

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
        hint="An http or https URL. Path segments and query values may contain placeholders, such as ?message={{id}}. A user and password are shown as ********; leave that to keep them."
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
      <TextAreaField
        label="CA certificate"
        value={form.tlsCa}
        onChange={(tlsCa) => change({ tlsCa })}
        errors={errors.tls}
        hint="Only for a receiver whose certificate is signed by an authority of your own: that authority's certificate in PEM. Public authorities are trusted anyway."
        rows={3}
        spellCheck={false}
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

type EventChoicesProps = { events: readonly EventName[]; onChange: (events: EventName[]) => void };

/** Lets the user choose the events that a new webhook subscribes to. */
function EventChoices({ events, onChange }: EventChoicesProps) {
  const toggle = (event: EventName, isChosen: boolean) =>
    onChange(eventNames.filter((name) => (name === event ? isChosen : events.includes(name))));
  return (
    <fieldset>
      <legend>Events</legend>
      {eventNames.map((event) => (
        <label className="check" key={event}>
          <input
            type="checkbox"
            checked={events.includes(event)}
            onChange={({ target }) => toggle(event, target.checked)}
          />
          <span>
            {eventLabel(event)} <span className="hint code">{event}</span>
          </span>
        </label>
      ))}
      <p className="hint">If none is selected, the webhook gets only the events that the platform addresses to it.</p>
    </fieldset>
  );
}

const choices = [
  { value: 'event', label: 'The event' },
  { value: 'template', label: 'A template' },
] as const;

/** Lets the user choose the body of callbacks: the event, or a template. */
function TemplateFields({ form, change, errors }: FormControls) {
  const problem = templateProblem(form);
  return (
    <fieldset>
      <legend>Body</legend>
      <Segments
        label="Body"
        value={form.hasTemplate ? 'template' : 'event'}
        onChange={(choice) => change({ hasTemplate: choice === 'template' })}
        options={choices}
      />
      {form.hasTemplate ? (
        <div className="template">
          <TextAreaField
            label="Body template"
            value={form.template}
            onChange={(template) => change({ template })}
            errors={problem === undefined ? errors.payload : [problem]}
            hint="A JSON object. Placeholders in its strings are filled in. For SMS they name fields of the payload, such as {{mobile}}, for other events fields of the event, such as {{payload.to}}."
            rows={10}
            spellCheck={false}
            autoComplete="off"
          />
          <Button
            variant="quiet"
            disabled={problem !== undefined}
            onClick={() => change({ template: indentJson(form.template) })}
          >
            Indent
          </Button>
        </div>
      ) : (
        <p className="hint">
          The body is the payload for SMS. For other events, it has the event's name and the payload.
        </p>
      )}
    </fieldset>
  );
}

type SecretFieldProps = { value: string; onChange: (value: string) => void; errors: string[] | undefined };

const secretBytes = 24;

/** The field of the Bearer secret, hidden until the user shows it. */
function SecretField({ value, onChange, errors }: SecretFieldProps) {
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
