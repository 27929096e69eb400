import { z } from 'zod';
import type { TestCallAttempt } from '@ringback/ledger';
import {
  type AllowList,
  channelOf,
  type EventName,
  eventNames,
  type JsonObject,
  lintTemplates,
  parseAllowList,
  parseExactJson,
  parsePayload,
  parseTemplateValues,
  plainBody,
  renderUriAndBody,
  splitUserinfo,
} from '@ringback/rules';
import { attemptResource, attemptSchema, exampleAttempt } from '../deliveries/attempt.js';
import { eventNameText, exampleDelivery } from '../deliveries/schema.js';
import { samplePayload } from '../events/catalogue.js';
import { memberText, withExactNumbers } from '../http/body.js';
import { validate } from '../http/input.js';
import { tagOperations } from '../http/operation.js';
import { validationError } from '../http/response.js';
import { exampleWebhook, templateFields, webhookPath } from '../webhooks/schema.js';

const eventNameSchema = z.enum(eventNames, {
  error: ({ input }) => ((input ?? '') === '' ? 'The event field is required.' : 'The selected event is invalid.'),
});

const newTestCallSchema = z
  .object({
    event: eventNameSchema,
    payload: z
      .unknown()
      .optional()
      .meta({
        type: ['object', 'string', 'null'],
        description: 'The payload, as a platform would push it: an object, or its JSON text. When absent, an example.',
        documentedAs: {},
      }),
  })
  .meta({ id: 'TestCallInput' });

/** Reads `{event, payload}`, and returns the payload as JSON text: an example of the event if the body has none. */
export function readTestCall(body: unknown): { event: EventName; payload: string } {
  const { event, payload } = validate(newTestCallSchema, body);
  return { event, payload: readPayload(event, payload, { field: 'payload', source: memberText(body, 'payload') }) };
}

type PayloadField = { field: string; source: string | undefined };

/**
 * The JSON text of a payload, or of an example if the payload is absent or null. The payload is the member `field` of
 * the body, and `source` is the text of this member. Throws a 422 with the errors of the field.
 */
function readPayload(event: EventName, payload: unknown, { field, source }: PayloadField): string {
  if (payload === undefined || payload === null) return samplePayload(event);
  const parsed = parsePayload(event, payload, source);
  if (parsed.ok) return parsed.text;
  const renameField = (text: string) => text.replace(/^payload/, field);
  const errors = Object.entries(parsed.errors).map(
    ([key, texts]) => [renameField(key), texts.map(renameField)] as const,
  );
  throw validationError(Object.fromEntries(errors));
}

const testCallSchema = z
  .object({
    id: z.uuid().describe('The `X-Ringback-Delivery` of the test call. The delivery log does not contain it.'),
    webhook_id: z.uuid(),
    event: eventNameText,
    payload: z.unknown().meta({ type: 'object' }),
    attempt: attemptSchema,
  })
  .meta({ id: 'TestCall' });

type TestCall = {
  id: string;
  webhookId: string;
  event: EventName;
  payload: string;
  createdAt: Date;
  attempt: TestCallAttempt;
};

/** A test call in the format of the API, with an attempt of the kind `test`. */
export function testCallResource(call: TestCall): z.infer<typeof testCallSchema> {
  const { id, webhookId, event, payload, createdAt } = call;
  const context = {
    id,
    webhookId,
    eventName: event,
    payload,
    eventId: id,
    receivedAt: createdAt,
    channel: channelOf(event),
  };
  const attempt = attemptResource(context, { ...call.attempt, number: 1, kind: 'test' });
  return { id, webhook_id: webhookId, event, payload: JSON.parse(payload), attempt };
}

const createPreviewSchema = (allowList: AllowList) => {
  const { uri, payload } = templateFields(allowList);
  return z.object({
    event: eventNameSchema,
    uri: uri.optional(),
    payload,
    sample: z
      .unknown()
      .optional()
      .meta({
        type: ['object', 'string', 'null'],
        description: 'The payload of an event: an object, or its JSON text. When absent, an example.',
        documentedAs: {},
      }),
  });
};

const previewInputSchema = createPreviewSchema(parseAllowList('')).meta({ id: 'PreviewInput' });

type PreviewInput = { event: EventName; uri: string | null; bodyTemplate: JsonObject | null; payload: string };

/** Reads `{event, uri, payload, sample}`: the templates, and the event with which they are rendered. */
export function readPreview(body: unknown, allowList: AllowList): PreviewInput {
  const {
    event,
    uri,
    payload: bodyTemplate = null,
    sample,
  } = validate(createPreviewSchema(allowList), withExactNumbers(body, 'payload'));
  return {
    event,
    uri: uri === undefined ? null : splitUserinfo(uri).uri,
    bodyTemplate,
    payload: readPayload(event, sample, { field: 'sample', source: memberText(body, 'sample') }),
  };
}

const previewSchema = z
  .object({
    event: eventNameText,
    sample: z.unknown().meta({ type: 'object', description: 'The payload that the templates were rendered with.' }),
    url: z
      .string()
      .nullable()
      .describe('With `********` in place of a user and password. Null when the request had no `uri`.'),
    body: z.string().describe('The exact body of the callback.'),
    warnings: z
      .array(z.string())
      .describe('Placeholders that are unknown, null or empty, and results that are too long.'),
  })
  .meta({ id: 'Preview' });

/** The callback that the templates would produce, in the format of the API. */
export function previewResource({ event, uri, bodyTemplate, payload }: PreviewInput): z.infer<typeof previewSchema> {
  const templates = { uri: uri ?? '', bodyTemplate };
  const { url, text, warnings } = renderUriAndBody({ eventName: event, payload, ...templates });
  const allWarnings = [...warnings, ...lintTemplates(templates, parseTemplateValues(plainBody(event, payload)))];
  const sample = parseExactJson(payload);
  return { event, sample, url: uri === null ? null : url, body: text, warnings: [...new Set(allWarnings)] };
}

const { eventName, payload } = exampleDelivery;
const { deliveryId: _deliveryId, number: _number, kind: _kind, ...attempt } = exampleAttempt;

/** The attempt that the example of a test call shows. */
export const exampleTestCallAttempt: TestCallAttempt = {
  ...attempt,
  requestHeaders: { 'User-Agent': 'Ringback/1.2.3', 'X-Ringback-Test': 'true' },
  responseHeaders: { 'content-type': 'text/plain' },
};

const exampleTestCall = {
  id: '0199f3a0-af44-7abc-8def-0123456789ab',
  webhookId: exampleWebhook.id,
  event: eventName,
  payload,
  createdAt: new Date('2026-01-15T09:32:08Z'),
  attempt: exampleTestCallAttempt,
};

const exampleTemplates = {
  uri: 'https://example.com/callbacks?message={{id}}',
  payload: { number: '{{mobile}}', parts: '{{units}}', order: '{{custom}}' },
};

export const tryingOutOperations = tagOperations('Trying out', [
  {
    id: 'testWebhook',
    route: 'POST /developer/webhooks/{id}/test',
    scope: 'write',
    summary: 'Send a test call to a webhook',
    description:
      'A worker sends the test call at once, with an example of the event or with the `payload` of the request. ' +
      'The test call is like a callback, but it is sent only once and carries `X-Ringback-Test: true`. The ' +
      'response has the complete attempt, even if it failed (`attempt.error`). An inactive webhook gets test ' +
      'calls too. The delivery log does not contain test calls. 409 when the service requires verification and ' +
      'this webhook has not passed it, or when a secret of the webhook cannot be decrypted. 503 when no worker ' +
      'starts the test call in time, so that nothing is sent, or when a worker started it but does not report the ' +
      'result in time.',
    path: webhookPath,
    body: newTestCallSchema,
    response: { message: 'OK', data: testCallSchema },
    errors: [409, 503],
    example: {
      path: { id: exampleWebhook.id },
      body: { event: eventName, payload: JSON.parse(payload) },
      data: testCallResource(exampleTestCall),
    },
  },
  {
    id: 'previewWebhook',
    route: 'POST /developer/webhooks/preview',
    forRestrictedSession: 'unaffected',
    scope: 'read',
    summary: 'Render templates',
    description:
      'Renders `uri` and `payload` as a webhook would, with an example of the event or with the payload in `sample`. ' +
      'Nothing is stored or sent.',
    body: previewInputSchema,
    response: { message: 'OK', data: previewSchema },
    example: {
      body: { event: eventName, ...exampleTemplates, sample: JSON.parse(payload) },
      data: previewResource({
        event: eventName,
        uri: exampleTemplates.uri,
        bodyTemplate: exampleTemplates.payload,
        payload,
      }),
    },
  },
]);
