// Receives callbacks. It answers 200 to genuine ones, and 401 with the reason to others. See ../README.md for its settings.
import { createServer } from 'node:http';
import { findSignatureProblem, findStandardWebhookProblem } from './verify.mjs';

const { PORT = '4000', SECRET, WEBHOOK_ID, BEARER } = process.env;

if (!SECRET && !(WEBHOOK_ID && BEARER)) throw new Error('Set SECRET, or WEBHOOK_ID and BEARER.');

const findProblem = (headers, body) =>
  SECRET ? findStandardWebhookProblem(SECRET, headers, body) : findSignatureProblem(WEBHOOK_ID, BEARER, headers, body);
findProblem({}, Buffer.alloc(0)); // A malformed secret ends the program now.

const maxBytes = 20_971_520;

const server = createServer((request, response) => {
  const answer = (status, text = '') => response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
  const chunks = [];
  let length = Number(request.headers['content-length'] ?? 0);
  if (length > maxBytes) return answer(401, 'the body is too large');
  length = 0;
  request.on('data', (chunk) => {
    length += chunk.length;
    if (length <= maxBytes) chunks.push(chunk);
  });
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    const problem = length > maxBytes ? 'the body is too large' : findProblem(request.headers, body);
    if (problem) return answer(401, problem);
    console.log(`genuine ${body}`);
    answer(200);
  });
});
server.listen(Number(PORT), () => console.log(`receiving at http://localhost:${server.address().port}/`));
