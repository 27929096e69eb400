import type { JsonObject } from '@ringback/callbacks';
import type { Webhook as Row } from '../generated/client.js';
import type { Database } from '../connection/open.js';
import { UnreadableSecretError } from '../secrets/secrets.js';
import { readTemplate } from './template-text.js';

/**
 * The columns that are not read with a webhook. Signing secrets have an operation of their own; the others are
 * internal.
 */
export const hiddenColumns = {
  signingSecret: true,
  previousSigningSecret: true,
  previousSignsUntil: true,
  failingSince: true,
  pauseNotified: true,
} as const;

/** The fields of a webhook that its owner sets. */
export type NewWebhook = {
  name: string;
  uri: string;
  active: boolean;
  secret: string | null;
  verificationCode: string | null;
  template: JsonObject | null;
  signing: boolean;
  /** Maximum callbacks per second; no limit when null or absent. */
  rateLimit?: number | null;
};

/** A webhook with its secrets decrypted and its template parsed. */
export type Webhook = Omit<Row, 'template' | keyof typeof hiddenColumns> & {
  template: JsonObject | null;
  /** The fields that are null because no configured key decrypts them. */
  unreadable: (typeof secretFields)[number][];
};

/** A row of `webhooks` as it is stored, without the hidden columns. */
export type StoredWebhook = Omit<Row, keyof typeof hiddenColumns>;
type Secrets = Pick<Webhook, 'secret' | 'verificationCode'>;
const secretColumns = { secret: 'webhooks.secret', verificationCode: 'webhooks.verification_code' } as const;
const secretFields = ['secret', 'verificationCode'] as const;

/** Encrypts the given secrets. */
export function encryptSecrets({ secrets }: Database, id: string, given: Partial<Secrets>): Partial<Secrets> {
  const encrypted = secretFields.map(
    (field) => [field, given[field] && secrets.encrypt(given[field], { column: secretColumns[field], id })] as const,
  );
  return Object.fromEntries(encrypted.filter(([, text]) => text !== undefined));
}

/**
 * Decrypts the secrets of a row and parses its template. A secret that no configured key decrypts becomes null, and
 * `unreadable` names its field.
 */
export function decryptWebhook({ secrets }: Database, row: StoredWebhook): Webhook {
  const unreadable: Webhook['unreadable'] = [];
  const read = (field: (typeof secretFields)[number]) => {
    try {
      return row[field] && secrets.decrypt(row[field], { column: secretColumns[field], id: row.id });
    } catch (error) {
      if (!(error instanceof UnreadableSecretError)) throw error;
      unreadable.push(field);
      return null;
    }
  };
  const decrypted = { secret: read('secret'), verificationCode: read('verificationCode') };
  return { ...row, ...decrypted, unreadable, template: readTemplate(row.template) };
}
