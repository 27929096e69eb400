import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { findFreePort } from '@ringback/embedded';
import { type Certificate, makeCertificate } from '@ringback/receiver';
import { createTemporaryFolder, createTestDatabase, type TestDatabase } from '@ringback/testing';
import { runCommand } from './command.js';

// A test starts up to three processes of the command line, one after the other.
const maxWaitMs = 600_000;

let database: TestDatabase;
let folder: string;
const servers: Server[] = [];
/** The first bytes of each connection whose client trusted the certificate. */
const greetings: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  folder = createTemporaryFolder('ringback-bridge');
});
afterAll(async () => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
});

const endAfterGreeting = (socket: Socket) =>
  socket
    .on('error', () => undefined)
    .once('data', (data: Buffer) => {
      greetings.push(data.toString('latin1'));
      socket.destroy();
    });

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function listenWith({ key, cert }: Certificate) {
  const file = `${folder}/${servers.length}.pem`;
  writeFileSync(file, cert);
  const port = await listen(createTlsServer({ key, cert }, endAfterGreeting).on('tlsClientError', () => undefined));
  return { port, file };
}

/** Starts a bridge that cannot start. Resolves with the only line that it prints. */
async function refusal(scheme: string, port: number, caFile = ''): Promise<string> {
  const url = `${scheme}://user:s3cret@127.0.0.1:${port}`;
  const option = scheme.startsWith('amqp') ? '--queue' : '--topic';
  const env = { DATABASE_URL: database.url, BRIDGE_URL: url, ...(caFile && { NODE_EXTRA_CA_CERTS: caFile }) };
  const { code, stdout, stderr } = await runCommand('apps/cli/dist/main.js', { args: ['bridge', option, 'dlr'], env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).not.toContain('s3cret');
  expect(stderr).toMatch(/^ringback: --from or BRIDGE_URL: the broker cannot be used \([^\n]*\)\n$/);
  return stderr;
}

test.each(['amqp', 'kafka'])('%s: the refusal says that the broker is down', async (scheme) => {
  expect(await refusal(scheme, await findFreePort())).toContain('ECONNREFUSED');
});

test.each(['amqps', 'kafka+ssl'])(
  '%s: only NODE_EXTRA_CA_CERTS makes a certificate of another authority valid',
  async (scheme) => {
    const { port, file } = await listenWith(makeCertificate());
    expect(await refusal(scheme, port)).toContain("; NODE_EXTRA_CA_CERTS must name the broker's CA file");
    const before = greetings.length;
    expect(await refusal(scheme, port, file)).toContain('; check the port, and whether it needs TLS or a password');
    expect(greetings.slice(before).join('')).toContain(scheme === 'amqps' ? 'AMQP' : 'ringback-bridge');

    const expired = await listenWith(makeCertificate({ days: -5 }));
    expect(await refusal(scheme, expired.port, expired.file)).toContain('certificate has expired');
  },
  maxWaitMs,
);

test.each(['amqps', 'kafka+ssl'])('%s: the refusal says that the port may not use TLS', async (scheme) => {
  const plain = createTcpServer((socket) => socket.on('error', () => undefined).end('AMQP\0\0\t\x01'));
  expect(await refusal(scheme, await listen(plain))).toContain('; check whether the port uses TLS)');
});
