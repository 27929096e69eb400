import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { verify } from '@ringback/client';
import { createNaming, defaultNaming, composeCallback } from '@ringback/rules';
import { root } from './processes.js';

type Headers = Record<string, string>;

/**
 * A case of examples/verify/vectors.json. All values are text, so that languages without a JSON parser can read them.
 */
export type Vector = {
  name: string;
  /** `error`: the settings are wrong, so nothing can be verified. */
  expected: 'genuine' | 'refused' | 'error';
  /** Why it is refused. */
  reason?: string;
  headers: Headers;
  body_base64: string;
} & (
  | { scheme: 'signature'; webhook_id: string; bearer: string }
  | { scheme: 'standard-webhooks'; secret: string; now: string }
);

const webhookId = '180ebbb5-9b6f-4c51-a98a-0123456789ab';
const bearer = 's3cret';
const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const newSecret = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const sentAt = 1_767_225_600;

const report = '{"id":"b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1","mobile":"918921269000","status":"DELIVRD"}';
const bodies = {
  'a delivery report': Buffer.from(report),
  'an empty body': Buffer.alloc(0),
  'a body that is not ASCII': Buffer.from('{"text":"Grüße 👋 नमस्ते"}'),
  'a body that is not UTF-8': Buffer.from([0x7b, 0xff, 0x00, 0xfe, 0x7d]),
};
const altered = Buffer.from(report.replace('DELIVRD', 'UNDELIV'));

const checked = ['authorization', 'signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];

/** The headers of a callback that receivers check, in lower case, from the code that composes callbacks. */
function headersOf(body: Buffer, { id = webhookId, signingSecrets = [secret] } = {}): Headers {
  const { headers } = composeCallback({
    eventName: 'sms:message:status',
    payload: '{}',
    encodedPlainBody: body,
    uri: 'http://example.com/',
    bodyTemplate: null,
    accountId: 'b7e0c1d2-9b6f-4c51-a98a-0123456789ab',
    webhookId: id,
    signing: true,
    signingSecrets,
    bearer,
    startedAt: new Date(sentAt * 1000),
    naming: createNaming(defaultNaming, '1'),
    deliveryId: '0199f3a0-0000-7abc-8def-0123456789ab',
    eventId: '',
    receivedAt: new Date(0),
    attemptNumber: 1,
  });
  const lower = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), value]);
  return Object.fromEntries(lower.filter(([name]) => checked.includes(name)));
}

const sent = headersOf(Buffer.from(report));
const valueOf = (name: string) => sent[name] ?? '';

/** The headers as they were sent, except for these; undefined leaves one out. */
function sentExcept(changes: Record<string, string | undefined>): Headers {
  const entries = Object.entries({ ...sent, ...changes });
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

type Case = { name: string; expected: Vector['expected']; headers?: Headers; body?: Buffer };
type SignatureCase = Case & { id?: string; token?: string };
type StandardCase = Case & { key?: string; secondsLater?: number };

const shared = ({ name, expected, headers = sent, body = Buffer.from(report) }: Case) => ({
  name,
  expected,
  headers,
  body_base64: body.toString('base64'),
});

const signatureVector = ({ id = webhookId, token = bearer, ...rest }: SignatureCase): Vector => ({
  ...shared({ ...rest, name: `Signature: ${rest.name}` }),
  scheme: 'signature',
  webhook_id: id,
  bearer: token,
});

const standardVector = ({ key = secret, secondsLater = 0, ...rest }: StandardCase): Vector => ({
  ...shared({ ...rest, name: `Standard Webhooks: ${rest.name}` }),
  scheme: 'standard-webhooks',
  secret: key,
  now: String(sentAt + secondsLater),
});

const genuine = Object.entries(bodies).map(([name, body]): Case => {
  return { name, expected: 'genuine', body, headers: headersOf(body) };
});

const sentInCapitals = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name.toUpperCase(), value]));
const inCapitals: Case = { name: 'header names in capitals', expected: 'genuine', headers: sentInCapitals };

const refused = (name: string, changes: Record<string, string | undefined>): Case => {
  return { name, expected: 'refused', headers: sentExcept(changes) };
};

const signature = valueOf('signature');
const signatureCases: SignatureCase[] = [
  ...genuine,
  inCapitals,
  { name: 'an altered body', expected: 'refused', body: altered },
  { name: 'the key of another webhook', expected: 'refused', id: 'abc' },
  { name: 'another bearer', expected: 'refused', token: 'other' },
  refused('no Signature', { signature: undefined }),
  refused('an empty Signature', { signature: '' }),
  refused('a Signature in capitals', { signature: signature.toUpperCase() }),
  refused('half of a Signature', { signature: signature.slice(0, 32) }),
  refused('a Signature with a prefix', { signature: `sha256=${signature}` }),
  refused('a Signature that is not ASCII', { signature: `ü${signature.slice(1)}` }),
  refused('no Authorization', { authorization: undefined }),
  refused('an Authorization without Bearer', { authorization: bearer }),
  { name: 'no webhook id to check with', expected: 'error', id: '' },
  { name: 'no bearer to check with', expected: 'error', token: '' },
];

const rotated = headersOf(Buffer.from(report), { signingSecrets: [newSecret, secret] });
const standard = valueOf('webhook-signature');
const standardCases: StandardCase[] = [
  ...genuine,
  inCapitals,
  { name: 'two signatures, checked with the new secret', expected: 'genuine', headers: rotated, key: newSecret },
  { name: 'two signatures, checked with the old secret', expected: 'genuine', headers: rotated },
  { name: 'a secret without whsec_', expected: 'genuine', key: secret.slice('whsec_'.length) },
  { name: 'an altered body', expected: 'refused', body: altered },
  { name: 'the key of another webhook', expected: 'refused', key: newSecret },
  { name: 'a timestamp of 300 seconds ago', expected: 'genuine', secondsLater: 300 },
  { name: 'a timestamp of 301 seconds ago', expected: 'refused', secondsLater: 301 },
  { name: 'a timestamp in 300 seconds', expected: 'genuine', secondsLater: -300 },
  { name: 'a timestamp in 301 seconds', expected: 'refused', secondsLater: -301 },
  refused('an altered timestamp', { 'webhook-timestamp': String(sentAt + 1) }),
  refused('a timestamp that is no number', { 'webhook-timestamp': 'now' }),
  refused('a timestamp with a fraction', { 'webhook-timestamp': `${sentAt}.0` }),
  refused('a timestamp that no integer holds', { 'webhook-timestamp': '9'.repeat(40) }),
  refused('an altered id', { 'webhook-id': 'another' }),
  refused('a signature without its version', { 'webhook-signature': standard.replace('v1,', '') }),
  refused('a signature of another version', { 'webhook-signature': standard.replace('v1,', 'v2,') }),
  refused('half of a signature', { 'webhook-signature': standard.slice(0, 20) }),
  refused('a signature that is not ASCII', { 'webhook-signature': 'v1,ü' }),
  refused('no webhook-id', { 'webhook-id': undefined }),
  refused('no webhook-timestamp', { 'webhook-timestamp': undefined }),
  refused('no webhook-signature', { 'webhook-signature': undefined }),
  refused('an empty webhook-signature', { 'webhook-signature': '' }),
  { name: 'no secret to check with', expected: 'error', key: '' },
  { name: 'a secret that is empty after whsec_', expected: 'error', key: 'whsec_' },
  { name: 'a secret of one character, which holds no byte', expected: 'error', key: 'whsec_A' },
  { name: 'a secret that is not base64', expected: 'error', key: 'whsec_!' },
];

/** What `verify` of packages/client says about a vector. Throws if its settings are wrong. */
export function verifyVector({ headers, body_base64, ...vector }: Vector) {
  const isSignature = vector.scheme === 'signature';
  const options = isSignature
    ? { webhookId: vector.webhook_id, bearer: vector.bearer }
    : { signingSecret: vector.secret };
  const now = isSignature ? new Date() : new Date(Number(vector.now) * 1000);
  return verify({ headers, body: Buffer.from(body_base64, 'base64') }, options, now);
}

/** The vector with the reason for which packages/client refuses it. */
function withReason(vector: Vector): Vector {
  const verified = vector.expected === 'refused' ? verifyVector(vector) : { ok: true as const };
  return verified.ok ? vector : { ...vector, reason: verified.reason };
}

/** The cases of examples/verify/vectors.json, signed by the code that signs callbacks. */
export const vectors = [...signatureCases.map(signatureVector), ...standardCases.map(standardVector)].map(withReason);

export const vectorsFile = `${root}examples/verify/vectors.json`;

// As a program it writes the file.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(vectorsFile, `${JSON.stringify(vectors, null, 2)}\n`);
}
