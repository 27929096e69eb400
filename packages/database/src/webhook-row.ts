import type { JsonObject } from '@ringback/callbacks';
import type { Webhook as Row } from './generated/client.js';
import type { Database } from './open.js';
import { SecretError } from './secrets.js';
import { readTemplate } from './template-text.js';

/** What is not read with a webhook: shown by itself (signing-secrets.ts), or nobody's business but ours. */
export const hidden = {
  signingSecret: true,
  previousSigningSecret: true,
  previousSignsUntil: true,
  failingSince: true,
  pauseNotified: true,
} as const;

/** A registration; its secrets as they were given, its template as an object. */
export type Webhook = Omit<Row, 'payload' | keyof typeof hidden> & {
  payload: JsonObject | null;
  /** The secrets that no key of ours opens, which are null here. */
  unreadable: (typeof fields)[number][];
};

export type StoredWebhook = Omit<Row, keyof typeof hidden>;
type Kept = Pick<Webhook, 'secret' | 'verificationCode'>;
const columns = { secret: 'webhooks.secret', verificationCode: 'webhooks.verification_code' } as const;
const fields = ['secret', 'verificationCode'] as const;

/** What to store of the secrets that are given. */
export function sealSecrets({ secrets }: Database, id: string, given: Partial<Kept>): Partial<Kept> {
  const sealed = fields.map(
    (field) => [field, given[field] && secrets.seal(given[field], { column: columns[field], id })] as const,
  );
  return Object.fromEntries(sealed.filter(([, text]) => text !== undefined));
}

/** The webhook of a row, its secrets as they were given. One that no key of ours opens is null and named. */
export function openWebhook({ secrets }: Database, row: StoredWebhook): Webhook {
  const unreadable: Webhook['unreadable'] = [];
  const read = (field: (typeof fields)[number]) => {
    try {
      return row[field] && secrets.open(row[field], { column: columns[field], id: row.id });
    } catch (error) {
      if (!(error instanceof SecretError)) throw error;
      unreadable.push(field);
      return null;
    }
  };
  const opened = { secret: read('secret'), verificationCode: read('verificationCode') };
  return { ...row, ...opened, unreadable, payload: readTemplate(row.payload) };
}
