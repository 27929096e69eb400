// Receives callbacks with Fastify 5. npm install fastify @ringback/client
import Fastify from 'fastify';
import { verify } from '@ringback/client';

const { PORT = '4000', SECRET } = process.env;
const app = Fastify({ bodyLimit: 20 * 1024 * 1024 });

// The signature covers the bytes as they came, so the body stays a Buffer.
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

app.post('/callbacks', async (request, reply) => {
  const body = request.body ?? '';
  const verified = verify({ body, headers: request.headers }, { signingSecret: SECRET });
  if (!verified.ok) return reply.code(401).send(verified.reason);
  const callback = JSON.parse(body);
  console.log('genuine', JSON.stringify(callback));
  return reply.code(200).send();
});

await app.listen({ port: Number(PORT) });
console.log(`receiving at http://localhost:${app.server.address().port}/callbacks`);
