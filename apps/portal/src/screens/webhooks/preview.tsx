import { useState } from 'react';
import type { ApiFailure } from '../../api/failure.js';
import type { EventName, Preview } from '../../api/schemas.js';
import { Icon } from '../../components/badge.js';
import { CodeBlock } from '../../components/code-block.js';
import { SelectField } from '../../components/fields.js';
import { Skeleton } from '../../components/states.js';
import { Untrusted } from '../../components/untrusted.js';
import { eventOptions } from '../../resources/events.js';
import { SampleField } from '../webhook-form/sample-choice.js';
import { usePreview } from '../webhook-form/use-preview.js';
import { templateProblem, type WebhookForm } from './form-values.js';

/** Shows the callback that the webhook would send, and warnings about its templates, while the user types. */
export function PreviewPanel({ form }: { form: WebhookForm }) {
  const [event, setEvent] = useState<EventName>(form.events[0] ?? 'sms:message:status');
  const [sample, setSample] = useState<string>();
  const { data, error } = usePreview(form, event, sample);
  const changeEvent = (next: EventName) => {
    setEvent(next);
    setSample(undefined);
  };
  const isTemplateInvalid = templateProblem(form) !== undefined;
  return (
    <section className="preview" aria-labelledby="preview">
      <h2 id="preview">Preview</h2>
      <p className="hint">The callback that this webhook would send. Nothing is sent.</p>
      <SelectField label="Event" value={event} onChange={changeEvent} options={eventOptions} />
      <SampleField key={event} event={event} onChange={setSample} />
      <div aria-live="polite">
        {isTemplateInvalid && (
          <p className="notice">The body template is not valid JSON. The preview shows the callback without it.</p>
        )}
        {error && <PreviewError failure={error} />}
        {data?.warnings.map((warning) => (
          <p className="warning preview-warning" key={warning}>
            <Icon name="info" />
            <Untrusted text={warning} />
          </p>
        ))}
      </div>
      {data ? <PreviewRequest preview={data} /> : !error && <Skeleton height="18rem" />}
    </section>
  );
}

function PreviewRequest({ preview: { url, body } }: { preview: Preview }) {
  return (
    <>
      {url !== null && <CodeBlock label="Request URL" text={`POST ${url}`} />}
      <CodeBlock label="Request body" text={body} />
    </>
  );
}

function PreviewError({ failure }: { failure: ApiFailure }) {
  const messages = Object.values(failure.errors).flat();
  return (
    <div className="notice danger">
      {(messages.length > 0 ? messages : [failure.message]).map((message) => (
        <p key={message}>{message}</p>
      ))}
    </div>
  );
}
