import { expect, test } from '@jest/globals';
import { parseRedisUrl } from './redis-url.js';

test.each([
  ['redis://localhost', { host: 'localhost', port: 6379, db: 0 }],
  ['redis://10.0.0.1:6380', { host: '10.0.0.1', port: 6380, db: 0 }],
  ['redis://localhost:6379/', { host: 'localhost', port: 6379, db: 0 }],
  ['redis://localhost/5', { host: 'localhost', port: 6379, db: 5 }],
  ['redis://:secret@localhost', { password: 'secret', host: 'localhost', port: 6379, db: 0 }],
  ['redis://app:secret@localhost', { username: 'app', password: 'secret', host: 'localhost', port: 6379, db: 0 }],
  ['redis://:p%40ss%2Fw%3Ard%25@localhost', { password: 'p@ss/w:rd%', host: 'localhost', port: 6379, db: 0 }],
  ['redis://:a:b?c#d@localhost/1', { password: 'a:b?c#d', host: 'localhost', port: 6379, db: 1 }],
  ['redis://[::1]', { host: '::1', port: 6379, db: 0 }],
  ['redis://[2001:db8::7]:6380/2', { host: '2001:db8::7', port: 6380, db: 2 }],
  ['rediss://cache.example.com:6390', { tls: {}, host: 'cache.example.com', port: 6390, db: 0 }],
])('one server: %s', (url, options) => {
  expect(parseRedisUrl(url)).toEqual({ options });
});

test.each([
  [
    'redis+sentinel://a:26380,b/ringback',
    {
      sentinels: [
        { host: 'a', port: 26380 },
        { host: 'b', port: 26379 },
      ],
      name: 'ringback',
      db: 0,
    },
  ],
  [
    'redis+sentinel://:p%40ss@[::1]:26379/primary/3',
    { password: 'p@ss', sentinels: [{ host: '::1', port: 26379 }], name: 'primary', db: 3 },
  ],
  [
    'rediss+sentinel://:data@a/ringback?sentinel_password=w%40tch',
    {
      password: 'data',
      tls: {},
      sentinelTLS: {},
      enableTLSForSentinelMode: true,
      sentinelPassword: 'w@tch',
      sentinels: [{ host: 'a', port: 26379 }],
      name: 'ringback',
      db: 0,
    },
  ],
  ['redis+sentinel://a', { sentinels: [{ host: 'a', port: 26379 }], name: 'mymaster', db: 0 }],
])('Sentinel: %s', (url, options) => {
  expect(parseRedisUrl(url)).toEqual({ options });
});

test.each([
  [
    'redis+cluster://a,b:7001',
    {},
    [
      { host: 'a', port: 6379 },
      { host: 'b', port: 7001 },
    ],
  ],
  ['rediss+cluster://app:x@[::1]:7000', { username: 'app', password: 'x', tls: {} }, [{ host: '::1', port: 7000 }]],
])('Cluster: %s', (url, options, cluster) => {
  expect(parseRedisUrl(url)).toEqual({ options, cluster });
});

test.each([
  'http://localhost',
  'localhost:6379',
  'redis://',
  'redis://localhost:port',
  'redis://localhost/queue',
  'redis://localhost/1/2',
  'redis://:100%@localhost',
  'redis+sentinel://a/ringback/x',
  'redis+cluster://a,/1',
])('%s is refused, without its password in the text', (url) => {
  expect(() => parseRedisUrl(url)).toThrow(/^REDIS_URL must look like redis:\/\/host:6379$/);
});

test('a database of a cluster is refused', () => {
  expect(() => parseRedisUrl('redis+cluster://a/1')).toThrow(
    'REDIS_URL must not name a database, because a cluster has only database 0',
  );
});
