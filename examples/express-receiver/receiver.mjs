// Receives the callbacks of one webhook and rejects all other requests.
import express from 'express';
import { verifyCallback } from '@ringback/client';

const { PORT = '4000', WEBHOOK_ID, BEARER } = process.env;
const missing = Object.entries({ WEBHOOK_ID, BEARER }).filter(([, value]) => !value);
if (missing.length > 0) {
  console.error(`Set ${missing.map(([name]) => name).join(' and ')}.`);
  process.exit(1);
}

const app = express();
const seen = new Set();

// The signature is over the bytes as they came: no express.json() on this route.
const raw = express.raw({ type: 'application/json', limit: '20mb' });

app.post('/callbacks', raw, verifyCallback({ webhookId: WEBHOOK_ID, bearer: BEARER }), (request, response) => {
  // The challenge of a webhook that was registered with a token.
  if (request.body.validation_key) return response.json({ challenge: request.body.challenge });
  // Delivery is at least once; a repeat has the same id. A real receiver keeps these ids in its database.
  const delivery = request.get('X-Ringback-Delivery');
  if (!seen.has(delivery)) console.log(request.get('X-Ringback-Event'), JSON.stringify(request.body));
  seen.add(delivery);
  response.sendStatus(200);
});

const server = app.listen(Number(PORT), () =>
  console.log(`receiving at http://localhost:${server.address().port}/callbacks`),
);
