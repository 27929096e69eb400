import { setBounded } from '@ringback/process';

/**
 * An encoding in which a receiver may echo a secret, as canonicalized text. In truncated text, `prefix` is enough to
 * recognise the secret.
 */
export type SecretEncoding = { text: string; prefix: string; isBase64: boolean };

// Masking a shorter secret would mask ordinary text.
export const minSecretLength = 4;
const maxPrefixLength = 8;
// No encoding contains this character, because secrets are printable.
const separator = '\0';

/**
 * Normalises a text before it is searched for secrets: lower case, one base64 alphabet, and without white space, commas
 * and quotes, with which a receiver may have split the secret.
 */
export const canonicalize = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[\s,"']+/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');

const cache = new Map<string, SecretEncoding[]>();
const maxCachedSecrets = 4_000;

/**
 * The encodings of a secret: plain, with `+` for spaces, hexadecimal, and base64 of any text that contains it. None for
 * a secret under 4 characters.
 */
export function encodingsOf(secret: string): SecretEncoding[] {
  const cached = cache.get(secret);
  if (cached) return cached;
  const encodings = createEncodings(secret);
  setBounded(cache, secret, encodings, maxCachedSecrets);
  return encodings;
}

function createEncodings(secret: string): SecretEncoding[] {
  if (secret.length < minSecretLength) return [];
  const plain = [
    secret,
    Buffer.from(secret).toString('hex'),
    ...(secret.includes(' ') ? [secret.replaceAll(' ', '+')] : []),
  ];
  const base64 = [0, 1, 2].map((offset) => base64Within(secret, offset));
  const texts = canonicalize([...base64, ...plain].join(separator)).split(separator);
  return texts.flatMap((text, index) => {
    if (text.length < minSecretLength) return [];
    const prefixLength = Math.min(maxPrefixLength, Math.max(minSecretLength, Math.ceil(text.length / 2)));
    return [{ text, prefix: text.slice(0, prefixLength), isBase64: index < base64.length }];
  });
}

/**
 * The base64 characters that depend only on the secret, when the secret starts `offset` bytes into a group of three.
 */
function base64Within(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const last = Math.floor((bytes.length * 8) / 6);
  return bytes.toString('base64').slice(Math.ceil((offset * 8) / 6), last);
}
