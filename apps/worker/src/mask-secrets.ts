import type { CallbackSecrets } from '@ringback/ledger';
import { setBounded } from '@ringback/process';
import { decodeUserinfo } from '@ringback/rules';

// A receiver may echo what it was sent. Whoever may read the log of its responses must not learn a secret from it.

const ringbackTokens = /\brb_(?:access|platform|session|portal)_[\w-]+/g;

/**
 * The secrets that a receiver knows and may echo: Bearer token, user and password, signing secrets, verification code,
 * and Ringback's tokens in the uri.
 */
export const secretsOf = (
  { bearer, userinfo, signingSecrets, verificationCode }: CallbackSecrets,
  uri: string,
): string[] => [
  bearer,
  ...(userinfo === null ? [] : passwordForms(userinfo)),
  ...(verificationCode === null ? [] : [verificationCode]),
  ...signingSecrets.map((secret) => secret.replace(/^whsec_/, '')),
  ...(uri.match(ringbackTokens) ?? []),
];

/** `user:password`, whose base64 is what Basic authentication sends, and the password alone. */
function passwordForms(userinfo: string): string[] {
  const decoded = decodeUserinfo(userinfo).toString('utf8');
  return [decoded, decoded.slice(decoded.indexOf(':') + 1)];
}

/** Masks secrets in the headers of a response. */
export function maskHeaders(headers: Record<string, string>, secrets: string[]): Record<string, string> {
  let mayHold = false;
  for (const name in headers) mayHold ||= mayHoldSecret(name, secrets) || mayHoldSecret(headers[name] ?? '', secrets);
  if (!mayHold) return headers;
  const masked = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const maskedName = maskSecrets(name, secrets);
    const earlier = masked.get(maskedName);
    const maskedValue = maskSecrets(value, secrets);
    // Names that hold only secrets become equal.
    masked.set(maskedName, earlier === undefined ? maskedValue : `${earlier}, ${maskedValue}`);
  }
  return Object.fromEntries(masked);
}

const mask = '[secret]';
// Masking a shorter secret would mask ordinary text.
const minSecretLength = 4;
// Of a secret that is cut off at the end of a text, this many characters are recognised, or half of a shorter one.
const minTruncatedLength = 8;

/**
 * Masks secrets of at least 4 characters in a receiver's text before it is stored. Finds secrets that are plain,
 * percent-encoded, escaped as in JSON or base64, also when they are cut off at the end.
 */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  if (!mayHoldSecret(text, secrets)) return text;
  const forms = secrets.flatMap((secret) => formsOf(secret).all);
  return forms.reduce((kept, form) => kept.replaceAll(form, mask), forms.reduce(maskTruncated, text));
}

/** Whether a text has the beginning of a secret. If not, as nearly always, it has nothing to mask. */
const mayHoldSecret = (text: string, secrets: readonly string[]): boolean =>
  secrets.some((secret) => formsOf(secret).beginnings.some((beginning) => text.includes(beginning)));

function maskTruncated(text: string, form: string): string {
  const start = text.lastIndexOf(beginningOf(form));
  return start !== -1 && form.startsWith(text.slice(start)) ? text.slice(0, start) + mask : text;
}

const beginningOf = (form: string) => form.slice(0, Math.min(minTruncatedLength, Math.ceil(form.length / 2)));

/**
 * The forms in which a receiver may repeat a secret, the longest first, and the different beginnings of them. A secret
 * under 4 characters has none.
 */
type Forms = { all: string[]; beginnings: string[] };

const cache = new Map<string, Forms>();
const maxCachedSecrets = 4_000;

function formsOf(secret: string): Forms {
  const cached = cache.get(secret);
  if (cached) return cached;
  const all = secret.length < minSecretLength ? [] : createForms(secret);
  const forms = { all, beginnings: [...new Set(all.map(beginningOf))] };
  setBounded(cache, secret, forms, maxCachedSecrets);
  return forms;
}

function createForms(secret: string): string[] {
  const percent = encodeURIComponent(secret);
  const base64 = Buffer.from(secret).toString('base64');
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    percent,
    percent.replace(/%../g, (escape) => escape.toLowerCase()),
    percent.replaceAll('%20', '+'),
    base64,
    encodeURIComponent(base64),
    Buffer.from(secret).toString('base64url'),
  ];
  return [...new Set(forms)].sort((left, right) => right.length - left.length);
}
