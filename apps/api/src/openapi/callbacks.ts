import { z } from 'zod';
import { channelOf, eventNames } from '@ringback/rules';
import { eventCatalogue, eventKinds } from '../events/catalogue.js';
import { exampleIds } from '../http/operation.js';
import type { JsonSchema, SchemaConverter } from './schemas.js';

const deliveryId = '0199f3a0-9e33-7abc-8def-0123456789ab';

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header' as const,
  required: false,
  description,
  schema: { type: 'string' },
  example,
});

const signatureHeaders = [
  header(
    'Signature',
    'The lower-case hex of HMAC-SHA256 over the bytes of the body, with the id of the webhook as key. Absent with `signing: false`.',
    '78eb8d4ae0d4e2631faf99a29febf3ac76283dcd795caf34b5ab22476661d548',
  ),
  header('webhook-id', 'The id of the delivery. Part of what `webhook-signature` signs.', deliveryId),
  header('webhook-timestamp', 'The Unix time of the attempt. Part of what `webhook-signature` signs.', '1795744800'),
  header(
    'webhook-signature',
    'The signature of Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, ' +
      'with the signing secret of the webhook as key. After a rotation there are two, separated by a space. Absent with `signing: false`.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

const attemptHeader = header('X-Ringback-Attempt', 'The number of the attempt, from 1.', '1');

const eventHeaders = (event: string) => [
  ...signatureHeaders,
  header('X-Ringback-Event', 'The name of the event.', event),
  header(
    'X-Ringback-Delivery',
    'The id of the delivery, the same in all its attempts: the key of a repeat.',
    deliveryId,
  ),
  attemptHeader,
  header('X-Ringback-Event-Id', 'The id of the event, a UUID of version 7.', '0199f3a0-8d22-7abc-8def-0123456789ab'),
  header('X-Ringback-Received-At', 'The time at which the event was stored.', '2026-01-15T09:32:07.000Z'),
  header('X-Ringback-Test', '`true` in a test call, otherwise absent.', 'true'),
];

const failure = { description: 'A failure. It is retried, and so is a response after the timeout.' };
const successes = {
  sms: { '200': { description: 'Success.' }, '202': { description: 'Success.' } },
  rcs: { '2XX': { description: 'Success.' } },
};

/** The name of an event in generated code: `sms:message:status` becomes `SmsMessageStatus`. */
const nameOf = (event: string) => event.replace(/(?:^|:)(\w)/g, (_match, first: string) => first.toUpperCase());

/**
 * The callbacks, for the section `webhooks` of the OpenAPI document: one of each event, and the verification of an
 * address. Their rules are in docs/reference/callbacks.md.
 */
export function describeCallbacks(schemas: SchemaConverter) {
  const samples = new Map(eventCatalogue().map(({ event, sample }) => [event, sample]));
  const callbacks = eventNames.map((event) => {
    const { description, body } = eventKinds[event];
    const name = nameOf(event);
    return [
      event,
      describeCallback({
        id: `receive${name}`,
        summary: description,
        description:
          'The body of a webhook without a template. Fields may be absent, and others may be present. A repeat has ' +
          'the same `X-Ringback-Delivery`.',
        parameters: eventHeaders(event),
        schema: schemas.describe(body.meta({ id: name }), 'output'),
        example: samples.get(event),
        responses: { ...successes[channelOf(event)], default: failure },
      }),
    ] as const;
  });
  const verification = describeCallback({
    id: 'receiveVerification',
    summary: 'The verification of the address of a webhook with a `token`.',
    description: 'The receiver passes with a 200 that has the same `challenge`, as JSON or as plain text.',
    parameters: [
      {
        name: 'token',
        in: 'query' as const,
        required: true,
        description: 'The `token` of the webhook, added to its address.',
        schema: { type: 'string' },
        example: 'verify-me',
      },
      ...signatureHeaders,
      attemptHeader,
    ],
    schema: schemas.describe(verificationRequest, 'output'),
    example: { validation_key: 'verify-me', challenge: exampleChallenge },
    responses: {
      '200': {
        description: 'The address passes.',
        content: {
          'application/json': {
            schema: schemas.describe(verificationResponse, 'output'),
            example: { challenge: exampleChallenge },
          },
        },
      },
      default: failure,
    },
  });
  return Object.fromEntries([...callbacks, ['verification', verification] as const]);
}

const exampleChallenge = exampleIds.webhookId;
const verificationRequest = z
  .object({ validation_key: z.string().describe('The `token` of the webhook.'), challenge: z.string() })
  .meta({ id: 'VerificationRequest' });
const verificationResponse = z.object({ challenge: z.string() }).meta({ id: 'VerificationAnswer' });

type DescribedCallback = {
  id: string;
  summary: string;
  description: string;
  parameters: (Omit<ReturnType<typeof header>, 'in'> & { in: 'header' | 'query' })[];
  schema: JsonSchema;
  example: unknown;
  responses: Record<string, object>;
};

const describeCallback = ({ id, schema, example, ...described }: DescribedCallback) => {
  const { summary, description, parameters, responses } = described;
  return {
    post: {
      operationId: id,
      tags: [callbacksTag],
      summary,
      description,
      security: [{ callback: [] }],
      parameters,
      requestBody: { required: true, content: { 'application/json': { schema, example } } },
      responses,
    },
  };
};

export const callbacksTag = 'Callbacks';
/** The token of a callback, which the receiver checks. */
export const callbackSecurity = {
  type: 'http',
  scheme: 'bearer',
  description:
    'Callbacks carry the `secret` of the webhook or else the callback token of the account; Basic authentication in ' +
    'its place if the address has a user and password.',
};
