// Receives callbacks with AWS Lambda behind an HTTP API, a REST API or a function URL. npm install @ringback/client
import { verify } from '@ringback/client';

export async function handler(event) {
  // The signature covers the bytes as they came. API Gateway encodes what it takes for binary.
  const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  const verified = verify({ body, headers: event.headers }, { signingSecret: process.env.SECRET });
  if (!verified.ok) return { statusCode: 401, body: verified.reason };
  const callback = JSON.parse(body);
  console.log('genuine', callback.payload?.id ?? callback.id);
  return { statusCode: 200, body: '' };
}
