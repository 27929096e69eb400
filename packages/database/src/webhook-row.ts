import type { JsonObject } from '@ringback/callbacks';
import type { Webhook as Row } from './generated/client.js';
import type { Database } from './open.js';

/** What is not read with a webhook: shown by itself (signing-secrets.ts), or nobody's business but ours. */
export const hidden = {
  signingSecret: true,
  previousSigningSecret: true,
  previousSignsUntil: true,
  failingSince: true,
  pauseTold: true,
} as const;

/** A registration; its secrets as they were given, its template as an object. */
export type Webhook = Omit<Row, 'payload' | keyof typeof hidden> & { payload: JsonObject | null };

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

/** The webhook of a row, its secrets as they were given. */
export function openWebhook({ secrets }: Database, row: StoredWebhook): Webhook {
  const read = (field: (typeof fields)[number]) =>
    row[field] && secrets.open(row[field], { column: columns[field], id: row.id });
  return { ...row, ...{ secret: read('secret'), verificationCode: read('verificationCode') }, payload: objectOf(row) };
}

/** A template as it is stored. Only templates that were checked are. */
export const templateText = (payload: JsonObject | null) => payload && JSON.stringify(payload);
const objectOf = ({ payload }: StoredWebhook): JsonObject | null => (payload === null ? null : JSON.parse(payload));
