// Receives callbacks with Next.js 13.4 or newer: app/callbacks/route.js. npm install @ringback/client
import { verify } from '@ringback/client/verify';

export async function POST(request) {
  // The signature covers the bytes as they came, so read them before anything parses them.
  const body = new Uint8Array(await request.arrayBuffer());
  const verified = await verify({ body, headers: request.headers }, { signingSecret: process.env.SECRET });
  if (!verified.ok) return new Response(verified.reason, { status: 401 });
  const callback = JSON.parse(new TextDecoder().decode(body));
  console.log('genuine', callback.payload?.id ?? callback.id);
  return new Response(null, { status: 200 });
}
