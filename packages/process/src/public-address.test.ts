import { describe, expect, test } from '@jest/globals';
import { ConfigError, readConfig } from './config.js';
import { addressOfBaseUrl, addressVariables, readAddressSettings } from './public-address.js';

const read = (env: NodeJS.ProcessEnv) => readAddressSettings(readConfig(env, addressVariables));

describe('the public address', () => {
  const host = 'https://api.test';
  test.each([
    [{}, undefined, '/api/v2'],
    [{ PUBLIC_URL: host }, host, '/api/v2'],
    [{ PUBLIC_URL: `${host}/` }, host, '/api/v2'],
    [{ PUBLIC_URL: `${host}/a/b//` }, `${host}/a/b`, '/api/v2'],
    [{ PUBLIC_URL: 'http://[::1]:8080/a-b_c.d~e' }, 'http://[::1]:8080/a-b_c.d~e', '/api/v2'],
    [{ PUBLIC_URL: `${host}/portal` }, `${host}/portal`, '/api/v2'],
    [{ API_PATH: '/v2' }, undefined, '/v2'],
    [{ API_PATH: '/v2/' }, undefined, '/v2'],
    [{ API_PATH: '/' }, undefined, ''],
    [{ PUBLIC_URL: `${host}/a`, API_PATH: '/' }, `${host}/a`, ''],
    [{ PUBLIC_URL: `${host}/a`, API_PATH: '/api/portal' }, `${host}/a`, '/api/portal'],
    // The path of BASE_URL without its last two segments is that of the public URL.
    [{ BASE_URL: `${host}/api/v2` }, host, '/api/v2'],
    [{ BASE_URL: `${host}/api/v2//` }, host, '/api/v2'],
    [{ BASE_URL: `${host}/callbacks/api/v2` }, `${host}/callbacks`, '/api/v2'],
    [{ BASE_URL: `${host}/a/b/c/d` }, `${host}/a/b`, '/c/d'],
    [{ BASE_URL: `${host}/v9` }, host, '/v9'],
    [{ BASE_URL: `${host}/` }, host, ''],
    // Unless API_PATH says which segments are those of the API.
    [{ BASE_URL: `${host}/callbacks/v2`, API_PATH: '/v2' }, `${host}/callbacks`, '/v2'],
    [{ BASE_URL: `${host}/callbacks`, API_PATH: '/' }, `${host}/callbacks`, ''],
    [{ BASE_URL: `${host}/a/api/v2`, PUBLIC_URL: `${host}/a` }, `${host}/a`, '/api/v2'],
    [{ BASE_URL: 'https://API.test/a/v2', PUBLIC_URL: `${host}/a`, API_PATH: '/v2' }, `${host}/a`, '/v2'],
    [{ BASE_URL: '', PUBLIC_URL: '', API_PATH: '' }, undefined, '/api/v2'],
  ])('of %j is %s, with the API at "%s"', (env, publicUrl, apiPath) => {
    expect(read(env)).toEqual({ publicUrl, apiPath });
  });
});

const plain = 'a plain path, no user, no query, no fragment';

test.each(
  ['PUBLIC_URL', 'BASE_URL'].flatMap((name) =>
    [
      'nowhere',
      '/callbacks',
      'ftp://a.test/b',
      'https://',
      'https://a.test:99999/b',
      'https://a.test/b?c=1',
      'https://a.test/b?',
      'https://a.test/b#c',
      'https://user:password@a.test/b',
      'https://a.test/b/:c',
      'https://a.test/b/*',
      'https://a.test/b%20c',
      'https://a.test/b ',
      'https://a.test//b',
      'https://a.test/b/../c',
      'https://a.test\\b',
    ].map((value) => [name, value]),
  ),
)('%s=%s is refused with one line', (name, value) => {
  const example = name === 'PUBLIC_URL' ? 'https://example.com/callbacks' : 'https://example.com/api/v2';
  expect(() => read({ [name!]: value })).toThrow(new ConfigError(`${name} must look like ${example}: ${plain}`));
});

test.each(['v2', 'https://a.test/v2', '/v2?a', '/v2#a', '/a b', '/:v', '//v2', '/a//b', '/../v2', '/a/.'])(
  'API_PATH=%s is refused with one line',
  (value) => {
    const message = 'API_PATH must be a plain path that starts with a slash, such as /api/v2, or / alone';
    expect(() => read({ API_PATH: value })).toThrow(new ConfigError(message));
  },
);

test.each([
  [{ API_PATH: '/portal' }, 'API_PATH must not be under /portal, which is not part of the API'],
  [{ API_PATH: '/Docs/v2' }, 'API_PATH must not be under /docs, which is not part of the API'],
  [{ API_PATH: '/metrics/' }, 'API_PATH must not be under /metrics, which is not part of the API'],
  [
    { BASE_URL: 'https://a.test/docs/v2' },
    'BASE_URL must not have the API under /docs, which is not part of it; set PUBLIC_URL',
  ],
  [
    { BASE_URL: 'https://a.test/api/v2', PUBLIC_URL: 'https://a.test/callbacks' },
    'BASE_URL contradicts PUBLIC_URL, with which it is https://a.test/callbacks/api/v2; remove BASE_URL',
  ],
  [
    { BASE_URL: 'https://a.test/api/v2', PUBLIC_URL: 'https://a.test', API_PATH: '/v2' },
    'BASE_URL contradicts PUBLIC_URL, with which it is https://a.test/v2; remove BASE_URL',
  ],
  [
    { BASE_URL: 'https://v2', API_PATH: '/v2' },
    'BASE_URL contradicts API_PATH: it does not end with /v2; set PUBLIC_URL instead',
  ],
])('%j is refused with one line', (env, message) => {
  expect(() => read(env)).toThrow(new ConfigError(message));
});

test.each([
  ['https://a.test/x/api/v2', undefined, 'https://a.test/x'],
  ['https://a.test/x/api/v2/', '/v2', 'https://a.test/x/api'],
  ['https://a.test/x/api/v2', '/v3', 'https://a.test/x'],
  ['https://a.test', '/v3', 'https://a.test'],
])('the portal of the API %s, with the path %s, is under %s', (url, apiPath, publicUrl) => {
  expect(addressOfBaseUrl(url, apiPath)).toEqual({ publicUrl, baseUrl: url.replace(/\/$/, '') });
});
