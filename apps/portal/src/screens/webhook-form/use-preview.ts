import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { unwrap } from '../../data/api.js';
import type { EventName } from '../../data/schemas.js';
import { useApi } from '../../session/session-context.js';
import { memberText } from '../../text/json.js';
import { templateProblem, type WebhookForm, withMember } from './form-state.js';

const waitMs = 300;

/** The same value, once it has not changed for a moment. */
export function useDebouncedValue<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), waitMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** What the webhook of the form would send for an event with the payload `sample`, a JSON text; else for the example. */
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

/** The payload of the example of an event. The API makes a new one each time; here it stays the same while the user types. */
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

/** A body as the text that it is; `body` is for its type only. */
const rawBody = (event: EventName, text: string) => ({ body: { event }, bodySerializer: () => text });

function previewBody(form: WebhookForm, event: EventName, sample: string | undefined): string {
  const uri = form.uri.trim();
  const fields = { event, ...(uri === '' ? {} : { uri }), ...(sample === undefined ? {} : { sample }) };
  const isUsed = form.hasTemplate && templateProblem(form) === undefined;
  return isUsed ? withMember(fields, 'payload', form.template) : JSON.stringify(fields);
}
