import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { setBounded } from '@ringback/runtime';

/** A key for secrets at rest, and the name that stands in what it sealed. */
export type SecretKey = { id: string; key: KeyObject };

/** Which value of which row: bound to the sealed text, so that it opens nowhere else. */
export type SecretPlace = {
  column:
    | 'accounts.callback_token'
    | 'webhooks.secret'
    | 'webhooks.verification_code'
    | 'webhooks.signing_secret'
    | 'webhooks.previous_signing_secret';
  id: string;
};

export type Secrets = {
  /** What to store for a text: sealed with the first key, or in clear when there is no key at all. */
  seal(text: string, place: SecretPlace): string;
  /** The text behind what is stored, sealed or in clear. Throws a SecretError when it cannot be had. */
  open(stored: string, place: SecretPlace): string;
  /** What everything begins with that the first key sealed; null without a key. */
  readonly prefix: string | null;
  readonly keyIds: readonly string[];
};

/** A stored secret that cannot be read with the keys we have. The message names the key, and nothing of the secret. */
export class SecretError extends Error {
  override readonly name = 'SecretError';
}

// Each callback needs two or three of them: opening one anew costs more than signing the body.
const maxRemembered = 10_000;

const cipher = 'aes-256-gcm';
const [ivBytes, tagBytes] = [12, 16];
// A text in clear that looks sealed gets `v0:` in front, however many it has already.
const sealedForm = /^v1:([A-Za-z0-9_-]{1,32}):([A-Za-z0-9_-]{38,})$/;
const escapable = /^(v0:)*v1:[A-Za-z0-9_-]{1,32}:[A-Za-z0-9_-]{38,}$/;

/**
 * Secrets at rest: `v1:<key id>:<base64url of iv, ciphertext, tag>`, AES-256-GCM, with the place as additional data.
 * The first key seals, every key opens. What is stored in clear stays readable.
 */
export function openSecrets(keys: readonly SecretKey[]): Secrets {
  const byId = new Map(keys.map(({ id, key }) => [id, key]));
  const [first] = keys;
  const opened = new Map<string, string>();
  return {
    seal: (text, place) => (first ? `v1:${first.id}:${encrypt(first.key, text, place)}` : escape(text)),
    open(stored, place) {
      const [, keyId, data] = sealedForm.exec(stored) ?? [];
      if (keyId === undefined || data === undefined) return unescape(stored);
      const key = byId.get(keyId);
      if (!key) throw new SecretError(`SECRETS_KEY has no key "${keyId}", ${whatFor(keyId, place)}`);
      const name = `${describe(place)} ${stored}`;
      const known = opened.get(name);
      if (known !== undefined) return known;
      const text = decrypt({ id: keyId, key }, data, place);
      setBounded(opened, name, text, maxRemembered);
      return text;
    },
    prefix: first ? `v1:${first.id}:` : null,
    keyIds: [...byId.keys()],
  };
}

/** What was sealed with a key that is missing; and where a key of `npm start` is (apps/start/src/secrets-key.ts). */
function whatFor(keyId: string, place: SecretPlace): string {
  const where = /^dev-[0-9a-f]{6}$/.test(keyId) ? '; `npm start` keeps it in its .data/secrets-key.json' : '';
  return `which ${describe(place)} was sealed with${where}`;
}

const escape = (text: string) => (escapable.test(text) ? `v0:${text}` : text);
const unescape = (stored: string) => (escapable.test(stored) ? stored.slice(3) : stored);
const describe = ({ column, id }: SecretPlace) => `${column} of ${id.toLowerCase()}`;

function encrypt(key: KeyObject, text: string, place: SecretPlace): string {
  const iv = randomBytes(ivBytes);
  const sealing = createCipheriv(cipher, key, iv, { authTagLength: tagBytes }).setAAD(Buffer.from(describe(place)));
  const sealed = [iv, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()];
  return Buffer.concat(sealed).toString('base64url');
}

function decrypt({ id, key }: SecretKey, data: string, place: SecretPlace): string {
  const bytes = Buffer.from(data, 'base64url');
  const opening = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
  opening.setAAD(Buffer.from(describe(place))).setAuthTag(bytes.subarray(-tagBytes));
  try {
    return opening.update(bytes.subarray(ivBytes, -tagBytes), undefined, 'utf8') + opening.final('utf8');
  } catch {
    throw new SecretError(
      `the key "${id}" of SECRETS_KEY does not open ${describe(place)}: it is another key, or the value was changed`,
    );
  }
}
