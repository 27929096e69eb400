// Pushes a delivery report with BullMQ alone: no package of Ringback, and no job options.
import { Queue } from 'bullmq';

const { REDIS_URL = 'redis://localhost:6379', QUEUE_PREFIX = 'ringback', ACCOUNT_ID, WEBHOOK_ID } = process.env;
const messageId = process.argv[2] ?? `${crypto.randomUUID()}:1`;

const queue = new Queue('sms-events', { connection: { url: REDIS_URL }, prefix: QUEUE_PREFIX });
await queue.add('sms:message:status', {
  account_id: ACCOUNT_ID,
  webhook_id: WEBHOOK_ID,
  payload: { id: messageId, mobile: '918921269000', status: 'DELIVRD', credits: '2.0000', units: 2 },
});
await queue.close();
console.log(`pushed ${messageId}`);
