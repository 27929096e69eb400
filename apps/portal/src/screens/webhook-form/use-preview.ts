import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { unwrap } from '../../api/client.js';
import type { EventName } from '../../api/schemas.js';
import { useApi } from '../../session/session-context.js';
import { memberText } from '../../text/json.js';
import { templateProblem, type WebhookForm, withMember } from '../webhooks/form-values.js';

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
export function usePreview(form: WebhookForm, event: EventName, sample: string | undefined) {
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
