import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { unwrap } from '../../api/client.js';
import type { ApiFailure } from '../../api/failure.js';
import type { Delivery, EventName, Preview } from '../../api/schemas.js';
import { useAnnounce } from '../../components/announcer.js';
import { Icon } from '../../components/badge.js';
import { CodeBlock } from '../../components/code-block.js';
import { SelectField } from '../../components/fields.js';
import { Skeleton } from '../../components/states.js';
import { Untrusted } from '../../components/text.js';
import { newestDeliveriesQuery } from '../../resources/deliveries.js';
import { eventOptions } from '../../resources/events.js';
import { usePreferences } from '../../session/preferences.js';
import { useApi } from '../../session/session.js';
import { memberText } from '../../text/json.js';
import { maskNumber, printable } from '../../text/untrusted.js';
import { templateProblem, type WebhookForm, withMember } from './form-values.js';

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

const delayMs = 300;

/** The value, delayed until it has not changed for 300 ms. */
function useDebouncedValue<T>(value: T): T {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), delayMs);
    return () => clearTimeout(timer);
  }, [value]);
  return debounced;
}

/**
 * Fetches the callback that the webhook of the form would send for an event. The event's payload is `sample`, a JSON
 * text, or that of an example.
 */
function usePreview(form: WebhookForm, event: EventName, sample: string | undefined) {
  const api = useApi();
  const example = useExample(event);
  const payload = sample ?? example.data;
  const text = useDebouncedValue(previewBody(form, event, payload));
  const preview = useQuery({
    queryKey: ['preview', text],
    queryFn: async ({ signal }) => (await unwrap(api.POST(path, { ...rawBody(event, text), signal }))).data,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
    enabled: payload !== undefined,
  });
  return { data: preview.data, error: preview.error ?? example.error };
}

/** The payload of an example event. The API creates a new one for each request; this one stays while the user types. */
function useExample(event: EventName) {
  const api = useApi();
  return useQuery({
    queryKey: ['example', event],
    queryFn: async ({ signal }) => {
      const text = await unwrap(api.POST(path, { body: { event }, parseAs: 'text', signal }));
      return memberText(text, ['data', 'sample']);
    },
    staleTime: Infinity,
  });
}

const path = '/developer/webhooks/preview';

/** Options that send `text` as the body. `body` is only for the type. */
const rawBody = (event: EventName, text: string) => ({ body: { event }, bodySerializer: () => text });

function previewBody(form: WebhookForm, event: EventName, sample: string | undefined): string {
  const uri = form.uri.trim();
  const fields = { event, ...(uri === '' ? {} : { uri }), ...(sample === undefined ? {} : { sample }) };
  const isTemplateUsed = form.hasTemplate && templateProblem(form) === undefined;
  return isTemplateUsed ? withMember(fields, 'payload', form.template) : JSON.stringify(fields);
}

type SampleFieldProps = {
  event: EventName;
  /** Called with the payload of a real event as JSON text, or with undefined for the example. */
  onChange: (sample: string | undefined) => void;
};

/** Lets the user choose the payload of the preview: that of an example, or of one of the newest real events. */
function SampleField({ event, onChange }: SampleFieldProps) {
  const api = useApi();
  const { time, isMasked } = usePreferences();
  const announce = useAnnounce();
  const [chosen, setChosen] = useState('');
  const newest = useQuery(newestDeliveriesQuery(api, { 'filter[event]': event, per_page: 30 }));
  const choose = async (id: string) => {
    setChosen(id);
    if (id === '') return onChange(undefined);
    const params = { path: { id } };
    try {
      const text = await unwrap(api.GET('/developer/deliveries/{id}', { params, parseAs: 'text' }));
      onChange(memberText(text, ['data', 'payload']));
    } catch (error) {
      setChosen('');
      onChange(undefined);
      announce(error instanceof Error ? error.message : String(error));
    }
  };
  const numberOf = (number: string) => printable(isMasked ? maskNumber(number) : number);
  const labelOf = ({ created_at, mobile }: Delivery) =>
    `${time.full(created_at)}${mobile === null ? '' : `, ${numberOf(mobile)}`}`;
  const options = [
    { value: '', label: 'An example' },
    ...onePerEvent(newest.data ?? []).map((delivery) => ({ value: delivery.id, label: labelOf(delivery) })),
  ];
  return <SelectField label="Payload" value={chosen} onChange={(id) => void choose(id)} options={options} />;
}

/** Keeps one delivery for each event. */
const onePerEvent = (deliveries: readonly Delivery[]) =>
  deliveries.filter(({ event_id }, index) => deliveries.findIndex((other) => other.event_id === event_id) === index);
