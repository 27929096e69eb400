import { useEffect, useRef } from 'react';
import { Untrusted } from '../../components/untrusted.js';
import { changedFields, type EditField, type WebhookForm } from '../webhooks/form-values.js';

/** The webhook as the form was loaded, as it is now, and with what the user entered. */
export type Meanwhile = { before: WebhookForm; after: WebhookForm; edited: WebhookForm };

const orNone = (text: string) => (text.trim() === '' ? 'none' : text);

/** The label of each field, and its value as text. Secrets and templates have none: they are not shown here. */
const fields: Record<EditField, { label: string; show?: (form: WebhookForm) => string }> = {
  name: { label: 'Name', show: ({ name }) => name },
  uri: { label: 'Address (uri)', show: ({ uri }) => uri },
  payload: { label: 'Body template' },
  secret: { label: 'Bearer secret' },
  rate_limit: { label: 'Maximum callbacks per second', show: ({ rateLimit }) => orNone(rateLimit) },
  signing: { label: 'Sign callbacks', show: ({ isSigned }) => (isSigned ? 'yes' : 'no') },
  status: { label: 'Active', show: ({ isActive }) => (isActive ? 'yes' : 'no') },
};

/** Says which fields were changed elsewhere while the user edited the form, and what saving does. It gets the focus. */
export function MeanwhileChanged({ before, after, edited }: Meanwhile) {
  const element = useRef<HTMLElement>(null);
  useEffect(() => element.current?.focus(), [after]);
  const ownEdits = changedFields(before, edited);
  return (
    <section ref={element} className="notice" aria-labelledby="meanwhile" tabIndex={-1}>
      <h2 id="meanwhile">This webhook was changed meanwhile</h2>
      <p>Nothing is saved yet. The form has the new values and your own changes. Save again to store your changes.</p>
      <ul>
        {changedFields(before, after).map((field) => {
          const { label, show } = fields[field];
          return (
            <li key={field}>
              <strong>{label}</strong>
              {show ? (
                <>
                  : <Untrusted text={show(before)} /> <span aria-hidden="true">→</span>
                  <span className="visually-hidden">, then</span> <Untrusted text={show(after)} />
                </>
              ) : (
                ' changed'
              )}
              {ownEdits.includes(field) && '. Your own value is kept; saving replaces the new one.'}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
