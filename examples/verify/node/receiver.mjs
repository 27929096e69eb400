// Receives callbacks. It answers 200 to genuine ones and 401 to others. See ../README.md for its settings.
import { createServer } from 'node:http';
import { verifySignature, verifyStandardWebhook } from './verify.mjs';

const { PORT = '4000', SECRET, WEBHOOK_ID, BEARER } = process.env;

if (!SECRET && !(WEBHOOK_ID && BEARER)) throw new Error('Set SECRET, or WEBHOOK_ID and BEARER.');

const isGenuine = (headers, body) =>
  SECRET ? verifyStandardWebhook(SECRET, headers, body) : verifySignature(WEBHOOK_ID, BEARER, headers, body);
isGenuine({}, Buffer.alloc(0)); // A malformed secret ends the program now.

const server = createServer((request, response) => {
  const answer = (status) => response.writeHead(status).end();
  // Callbacks have a Content-Length.
  if (!(Number(request.headers['content-length']) <= 20_971_520)) return answer(401);
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    if (!isGenuine(request.headers, body)) return answer(401);
    console.log(`genuine ${body}`);
    answer(200);
  });
});
server.listen(Number(PORT), () => console.log(`receiving at http://localhost:${server.address().port}/`));
