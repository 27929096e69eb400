import { useState } from 'react';
import { CodeBlock } from '../../components/code-block.js';
import { SelectField } from '../../components/field.js';
import { Icon } from '../../components/icon.js';
import { Skeleton } from '../../components/states.js';
import { Untrusted } from '../../components/untrusted.js';
import type { ApiFailure } from '../../data/api-failure.js';
import type { EventName, Preview } from '../../data/schemas.js';
import { eventOptions } from '../../labels/events.js';
import { type WebhookForm, templateProblem } from './form-state.js';
import { SampleChoice } from './sample-choice.js';
import { usePreview } from './use-preview.js';

/** Shows, while the user types, the callback that the webhook would get, and warnings about its templates. */
export function PreviewPanel({ form }: { form: WebhookForm }) {
  const [event, setEvent] = useState<EventName>(form.events[0] ?? 'sms:message:status');
  const [sample, setSample] = useState<string>();
  const { data, error } = usePreview(form, event, sample);
  const changeEvent = (next: EventName) => {
    setEvent(next);
    setSample(undefined);
  };
  const hasNoJson = templateProblem(form) !== undefined;
  return (
    <section className="preview" aria-labelledby="preview">
      <h2 id="preview">Preview</h2>
      <p className="hint">What this webhook would send. Nothing is sent.</p>
      <SelectField label="Event" value={event} onChange={changeEvent} options={eventOptions} />
      <SampleChoice key={event} event={event} onChange={setSample} />
      <div aria-live="polite">
        {hasNoJson && <p className="notice">The body template is not valid JSON; this is the callback without it.</p>}
        {error && <PreviewError failure={error} />}
        {data?.warnings.map((warning) => (
          <p className="warning preview-warning" key={warning}>
            <Icon name="info" />
            <Untrusted text={warning} />
          </p>
        ))}
      </div>
      {data ? <Callback preview={data} /> : !error && <Skeleton height="18rem" />}
    </section>
  );
}

function Callback({ preview: { url, body } }: { preview: Preview }) {
  return (
    <>
      {url !== null && <CodeBlock label="Called address" text={`POST ${url}`} />}
      <CodeBlock label="Sent body" text={body} />
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
