// Verifies a callback by `webhook-signature` with the library of Standard Webhooks (`npm install standardwebhooks`), which exists
// for many languages. It refuses callbacks whose timestamp is more than five minutes off.
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

// `whsec_…` from GET /developer/webhooks/{id}/signing-secret.
const { SIGNING_SECRET = '' } = process.env;
const [, , id = '', timestamp = '', signature = ''] = process.argv;
const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };

// The body as received on stdin. `verify` throws unless the callback is genuine.
const event = new Webhook(SIGNING_SECRET).verify(await text(process.stdin), headers);
console.log('genuine', event);
