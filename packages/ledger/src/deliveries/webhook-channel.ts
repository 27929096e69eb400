import type { Channel } from '@ringback/rules';

/** A webhook with its account, and a channel. Claims and wake-ups concern the deliveries of one webhook and channel. */
export type WebhookChannel = { webhookId: string; channel: Channel; accountId: string };

/** The columns of a `WebhookChannel`, from rows of `deliveries`. */
export const webhookChannelColumnsSql = `webhook_id AS "webhookId", channel, account_id AS "accountId"`;
