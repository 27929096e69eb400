import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isIP } from 'node:net';
import { isForbiddenAddress, isPrivateName, parseAllowList } from './address.js';
import { checkCallbackUri } from './check-callback-uri.js';
import { renderUri } from './template.js';

const none = parseAllowList('');

const errorCountOf = (port: number): number => checkCallbackUri(`https://example.com:${port}/`, none).length;

test('the ports of web servers are accepted', () => {
  const ports = [80, 443, 1024, 3000, 8000, 8080, 8443, 10081, 65535];
  expect(ports.filter((port) => errorCountOf(port) !== 0)).toEqual([]);
});

test('the ports of other services, and numbers that are not ports, are refused with one error', () => {
  const ports = [
    ...[0, 1, 7, 9, 11, 13, 19, 21, 22, 23, 25, 37, 53, 69, 79, 81, 110, 111, 123, 135, 139, 143, 161, 389, 445, 465],
    ...[514, 587, 636, 873, 990, 993, 995, 1023, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566],
    ...[6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 65536, 100000],
  ];
  expect(ports.filter((port) => errorCountOf(port) !== 1)).toEqual([]);
});

test('a uri with letters beyond ASCII is accepted, even after 20,000 others', () => {
  const all = ['https://bücher.example/', 'https://example.com/ü?é=ß', 'https://例え.example/'];
  for (let calls = 0; calls < 20_000; calls++) checkCallbackUri(`https://example.com/${calls}`, none);
  for (const uri of all) expect(checkCallbackUri(uri, none)).toEqual([]);
});

const pieces = [
  ...[
    'http://',
    'https://',
    'http:',
    'HTTP://',
    '//',
    '/',
    '\\',
    '@',
    ':',
    '?',
    '#',
    '&',
    '=',
    '%',
    '%2f',
    '%40',
    '%00',
    ';',
  ],
  ...[
    'example.com',
    '127.0.0.1',
    '127.1',
    '0x7f',
    '2130706433',
    '[::1]',
    '[::ffff:7f00:1]',
    '10.',
    '1',
    '0',
    'localhost',
  ],
  ...[
    'unix',
    'internal',
    'local',
    '.',
    '..',
    '-',
    '_',
    'xn--',
    '{{id}}',
    '{{',
    '}}',
    ':80',
    ':22',
    ' ',
    '\t',
    '\n',
    '\0',
  ],
  ...['。', '①', '１２７', 'ⓛ', 'ß', '\u00ad', '\u200d', '\ud800', '😀'],
];
/** Any text, lone surrogates included. fast-check's own unit 'binary' takes seconds to build. */
const anyText = fc.string({ unit: fc.nat(0x10ffff).map((codePoint) => String.fromCodePoint(codePoint)) });
const anyUri = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join('')),
  fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => `http://${parts.join('')}`),
  fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((parts) => `https://example.com${parts.join('')}`),
  anyText,
);

test('a uri that is accepted never has a private address, and no value changes its host or its path', () => {
  let acceptedCount = 0;
  fc.assert(
    fc.property(anyUri, fc.oneof(fc.constantFrom(...pieces), anyText), (uri, value) => {
      if (checkCallbackUri(uri, none).length > 0) return;
      acceptedCount++;
      const { origin, pathname, hostname, hash, username, password } = new URL(renderUri(uri, {}).value);
      expect(hash + username + password).toBe('');
      const literal = hostname.replace(/^\[|\]$/g, '');
      expect(isIP(literal) === 0 ? isPrivateName(hostname) : isForbiddenAddress(literal, none)).toBe(false);
      const rendered = new URL(renderUri(uri, { id: value }).value);
      expect([rendered.origin, rendered.pathname, rendered.hash, rendered.username]).toEqual([
        origin,
        pathname,
        '',
        '',
      ]);
    }),
    { numRuns: 20_000 },
  );
  expect(acceptedCount).toBeGreaterThan(1_000);
});
