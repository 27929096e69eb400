// Verifies a callback with the library of Standard Webhooks (`npm install standardwebhooks`). The body is on stdin:
// SECRET=whsec_… node standard-webhooks.mjs "$WEBHOOK_ID_HEADER" "$WEBHOOK_TIMESTAMP_HEADER"
// "$WEBHOOK_SIGNATURE_HEADER"
import { buffer } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

const [, , id = '', timestamp = '', signature = ''] = process.argv;
const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };

// `verify` throws unless the callback is genuine and at most 5 minutes old.
const event = new Webhook(process.env.SECRET ?? '').verify(await buffer(process.stdin), headers);
console.log('genuine', event);
