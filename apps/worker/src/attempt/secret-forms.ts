import { setBounded } from '@ringback/runtime';

/** One way in which a receiver may show a secret, in the canonical form of texts, and how much of it tells it at a cut. */
export type SecretForm = { text: string; head: string; isBase64: boolean };

// A shorter secret would mask much that is none.
export const minSecretLength = 4;
const maxHead = 8;
// In no secret: those are printable.
const separator = '\0';

/**
 * A text in which the forms of a secret are looked for: lower case, without the white space, commas and quotes at which
 * a receiver may have split it, and with one alphabet of base64.
 */
export const canonical = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[\s,"']+/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');

const known = new Map<string, SecretForm[]>();
const maxKnown = 4_000;

/** The forms of a secret: plain, hexadecimal, and base64 of any text that holds it. */
export function formsOf(secret: string): SecretForm[] {
  const found = known.get(secret);
  if (found) return found;
  const forms = createForms(secret);
  setBounded(known, secret, forms, maxKnown);
  return forms;
}

function createForms(secret: string): SecretForm[] {
  if (secret.length < minSecretLength) return [];
  const plain = [
    secret,
    Buffer.from(secret).toString('hex'),
    ...(secret.includes(' ') ? [secret.replaceAll(' ', '+')] : []),
  ];
  const base64 = [0, 1, 2].map((offset) => base64Within(secret, offset));
  const texts = canonical([...base64, ...plain].join(separator)).split(separator);
  return texts.flatMap((text, index) => {
    if (text.length < minSecretLength) return [];
    const headLength = Math.min(maxHead, Math.max(minSecretLength, Math.ceil(text.length / 2)));
    return [{ text, head: text.slice(0, headLength), isBase64: index < base64.length }];
  });
}

/** The characters of base64 that depend on nothing but the secret, where it begins `offset` bytes after a group of three. */
function base64Within(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const last = Math.floor((bytes.length * 8) / 6);
  return bytes.toString('base64').slice(Math.ceil((offset * 8) / 6), last);
}
