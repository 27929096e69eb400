import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { readConfig } from './config.js';
import { hostInUrl, listen } from './network.js';

test('HOST is an IP address or a host name, or absent', () => {
  for (const host of ['127.0.0.1', '::1', '0.0.0.0', '::', 'localhost', 'api.example.com', 'a-1'])
    expect(readConfig({ HOST: host }, ['HOST'])).toEqual({ HOST: host });
  expect(readConfig({ HOST: '' }, ['HOST'])).toEqual({ HOST: undefined });
  for (const host of ['127.0.0.1:3000', 'http://x', '[::1]', 'a b', '*', '-a', 'a..b', 'a_b'])
    expect(() => readConfig({ HOST: host }, ['HOST'])).toThrow('HOST must be an IP address or a host name');
});

test('a server listens on HOST only, and on all interfaces when HOST is absent', async () => {
  const [one, all] = [createServer(), createServer()];
  await listen(one, { host: '127.0.0.1', port: 0 });
  await listen(all, { host: undefined, port: 0 });
  expect(one.address()).toMatchObject({ address: '127.0.0.1' });
  expect(['::', '0.0.0.0']).toContain(Object(all.address()).address);
  for (const server of [one, all]) server.close();
});

test('an address of another machine is refused with a message that names HOST', async () => {
  await expect(listen(createServer(), { host: '192.0.2.1', port: 0 })).rejects.toThrow(
    'HOST: 192.0.2.1 is not an address of this machine (EADDRNOTAVAIL)',
  );
});

test.each([
  [undefined, 'localhost'],
  ['127.0.0.1', 'localhost'],
  ['0.0.0.0', 'localhost'],
  ['::', 'localhost'],
  ['::1', '[::1]'],
  ['192.0.2.1', '192.0.2.1'],
  ['api.example.com', 'api.example.com'],
])('a server that listens on %s has %s in its URL', (host, inUrl) => expect(hostInUrl(host)).toBe(inUrl));
