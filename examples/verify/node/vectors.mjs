// Runs ../vectors.json, or the file of the first argument.
import { readFileSync } from 'node:fs';
import { findSignatureProblem, findStandardWebhookProblem } from './verify.mjs';

const file = process.argv[2] ?? new URL('../vectors.json', import.meta.url);
const vectors = JSON.parse(readFileSync(file, 'utf8'));

function findProblem({ scheme, secret, now, webhook_id, bearer, headers, body_base64 }) {
  const body = Buffer.from(body_base64, 'base64');
  return scheme === 'signature'
    ? findSignatureProblem(webhook_id, bearer, headers, body)
    : findStandardWebhookProblem(secret, headers, body, Number(now));
}

function resultOf(vector) {
  try {
    const problem = findProblem(vector);
    if (problem === null) return 'genuine';
    return problem === vector.reason ? 'refused' : problem;
  } catch {
    return 'error';
  }
}

let passed = 0;
for (const vector of vectors) {
  const result = resultOf(vector);
  if (result === vector.expected) passed++;
  else console.log(`FAILED ${vector.name}: expected ${vector.expected}, got ${result}`);
}
console.log(`${passed} of ${vectors.length} vectors passed`);
process.exitCode = passed === vectors.length ? 0 : 1;
