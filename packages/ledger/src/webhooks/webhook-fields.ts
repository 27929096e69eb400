import { createHash } from 'node:crypto';
import { type CallbackAddress, type JsonObject, readTemplate, templateText } from '@ringback/rules';
import type { ChangedField } from '../changes.js';
import type { Database } from '../connection/database.js';
import { UnreadableSecretError } from '../connection/secrets.js';
import type { Webhook as Row } from '../generated/client.js';

/**
 * The fields that are not read with a webhook. Signing secrets have functions of their own; the other fields are
 * internal.
 */
export const hiddenColumns = {
  signingSecret: true,
  previousSigningSecret: true,
  previousSignsUntil: true,
  failingSince: true,
  pauseNotifiedAt: true,
} as const;

/** The fields of a webhook that its owner sets. */
export type NewWebhook = {
  name: string;
  /** As the owner gave it: with its user and password, if it has one. */
  uri: string;
  active: boolean;
  secret: string | null;
  verificationCode: string | null;
  bodyTemplate: JsonObject | null;
  signing: boolean;
  /** Maximum callbacks per second; no limit when null or absent. */
  rateLimit?: number | null;
  /** CA certificates in PEM that are trusted beside the public authorities; none when null or absent. */
  tlsCa?: string | null;
};

/** A webhook with its secrets decrypted and its template parsed. Its `uri` has no user and password: `userinfo` has. */
export type Webhook = Omit<Row, 'bodyTemplate' | keyof typeof hiddenColumns> & {
  bodyTemplate: JsonObject | null;
  /** The fields that are null because no configured key decrypts them. Without `userinfo`, the `uri` is still shown. */
  unreadable: (typeof secretFields)[number][];
  /** A text that differs whenever any other field differs, and after each edit. */
  version: string;
};

/** A row of `webhooks` as it is stored, without `hiddenColumns`. */
export type StoredWebhook = Omit<Row, keyof typeof hiddenColumns>;
type Secrets = Pick<Webhook, (typeof secretFields)[number]>;
const columnByField = {
  secret: 'webhooks.secret',
  verificationCode: 'webhooks.verification_code',
  userinfo: 'webhooks.userinfo',
} as const;
const secretFields = ['secret', 'verificationCode', 'userinfo'] as const;

/** Encrypts those secrets that are given. An empty text or null stays as it is. */
export function encryptSecrets({ secrets }: Database, id: string, given: Partial<Secrets>): Partial<Secrets> {
  const encrypted = secretFields.map(
    (field) => [field, given[field] && secrets.encrypt(given[field], { column: columnByField[field], id })] as const,
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
      return row[field] && secrets.decrypt(row[field], { column: columnByField[field], id: row.id });
    } catch (error) {
      if (!(error instanceof UnreadableSecretError)) throw error;
      unreadable.push(field);
      return null;
    }
  };
  const decrypted = {
    secret: read('secret'),
    verificationCode: read('verificationCode'),
    userinfo: read('userinfo'),
  };
  const version = versionOf(row, unreadable);
  return {
    ...row,
    ...decrypted,
    unreadable,
    version,
    bodyTemplate: row.bodyTemplate === null ? null : readTemplate(row.bodyTemplate),
  };
}

/**
 * The version is a hash of all that an owner can see, so that whatever changes a webhook (an edit, a pause, SQL of an
 * operator) changes it too. The stored secrets are hashed, not their texts, so that it tells nothing about them.
 */
function versionOf(row: StoredWebhook, unreadable: Webhook['unreadable']): string {
  const fields = Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([fields, unreadable]))
    .digest('base64url')
    .slice(0, 27);
}

/**
 * A field's value, and the form in which the change history shows it. `shown` is absent for secrets, templates and
 * certificates.
 */
type Field = { value: unknown; shown?: string | number | boolean | null };
type Fields = Record<string, Field>;

// The query and the fragment may contain a secret of the receiver.
const withoutQuery = (uri: string) => uri.replace(/[?#][^]*$/, '');

type Settings = NewWebhook & CallbackAddress;

/** The fields of a webhook, by their names in the API. */
const fieldsOf = (webhook: Settings): Fields => ({
  name: { value: webhook.name, shown: webhook.name },
  // Both by their text, so that another user and password change it.
  uri: { value: `${webhook.userinfo} ${webhook.uri}`, shown: withoutQuery(webhook.uri) },
  status: { value: webhook.active, shown: webhook.active ? '1' : '0' },
  signing: { value: webhook.signing, shown: webhook.signing },
  rate_limit: { value: webhook.rateLimit ?? null, shown: webhook.rateLimit ?? null },
  tls: { value: webhook.tlsCa ?? null },
  payload: { value: templateText(webhook.bodyTemplate) },
  secret: { value: webhook.secret },
  token: { value: webhook.verificationCode },
});

const fieldsBeforeCreation: Fields = { signing: { value: true, shown: true } };

/**
 * The fields that changed. For a new webhook, these are the fields that have a value, except `signing` if it is on. The
 * result never contains secrets, user names, passwords, codes, templates or the queries and fragments of URIs.
 */
export function changedFields(before: Settings | null, after: Settings): ChangedField[] {
  const old = before ? fieldsOf(before) : fieldsBeforeCreation;
  return Object.entries(fieldsOf(after)).flatMap(([field, { value, shown }]) => {
    const oldField = old[field] ?? { value: null };
    if (oldField.value === value) return [];
    return [shown === undefined ? { field } : { field, before: oldField.shown ?? null, after: shown }];
  });
}
