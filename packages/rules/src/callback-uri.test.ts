import { isIP } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  checkCallbackUri,
  decodeUserinfo,
  foreignPlaceholder,
  renderUri,
  resolveUserinfo,
  splitUserinfo,
  withoutMask,
} from './callback-uri.js';
import { isForbiddenAddress, isPrivateName, parseAllowList } from './egress.js';
import type { JsonObject } from './json.js';

const none = parseAllowList('');
const loopback = parseAllowList('127.0.0.0/8,::1/128');

const refused = [
  // loopback, metadata and other private addresses, in several spellings
  'http://127.0.0.1/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0177.0.0.1/',
  'http://0/',
  'http://0.0.0.0/',
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://0xa9.0xfe.0xa9.0xfe/',
  'http://0251.0376.0251.0376/',
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://192.168.1.1/',
  'http://100.64.0.1/',
  'http://100.100.100.200/',
  'http://192.0.0.192/',
  'http://168.63.129.16/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'http://[::]/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://[::ffff:7f00:1]/',
  'http://[::7f00:1]/',
  'http://[64:ff9b::a9fe:a9fe]/',
  'http://[2002:a9fe:a9fe::1]/',
  'http://[2001:0:a9fe:a9fe::1]/',
  'http://[fd00:ec2::254]/',
  'http://[fd20:ce::254]/',
  'http://[fe80::1]/',
  'http://[ff02::1]/',
  'http://１２７.0.0.1/',
  'http://①②⑦.0.0.1/',
  'http://127。0。0。1/',
  'http://127.0.0.1./',
  // names
  'http://localhost/',
  'http://LOCALHOST./',
  'http://x.localhost/',
  'http://metadata/',
  'http://metadata.google.internal/',
  'http://printer.local/',
  'http://router.home.arpa/',
  'http://localhost../',
  'http://unix:/sock:/',
  // forms
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://example.com/',
  'data:text/plain,x',
  'unix:/var/run/docker.sock',
  'http://unix:/var/run/docker.sock:/x',
  'javascript:alert(1)',
  'http:127.0.0.1/',
  'http:example.com/',
  'http:///127.0.0.1/',
  'http://example.com@127.0.0.1/',
  'http://a@b@127.0.0.1/',
  'http://user:pass@unix:/sock:/',
  'http://\\@127.0.0.1/',
  'http://example.com\\@127.0.0.1/',
  'http://a%2f@127.0.0.1/',
  'https://:@example.com/',
  'https://user:pass@127.0.0.1/',
  'https://user:pass@/',
  'https://user:{{id}}@example.com/',
  'https://@example.com/',
  'https://example.com/a b',
  'https://example.com/\n',
  ' https://example.com/',
  'https://example.com/\u0000',
  'https://example.com:22/',
  'https://example.com:25/',
  'https://example.com:6000/',
  'https://example.com:6000/#:443',
  'https://example.com:0/',
  'https://example.com:99999/',
  'https://',
  'example.com',
  '//example.com',
  '',
  'https://a..example.com/',
  'https://.example.com/',
  'https://example.com/?a={{\u0000}}',
  'https://example.com/?a={{x\u0000}}',
  'https://example.com/?a={{ }}',
  'https://example.com/?a={{a b}}',
  'https://example.com/?a={{\ud800}}',
  'https://example.com/?a=\ud800',
  'https://example.com/?a={{id}}#{{id}}',
  'https://{{id}}/',
  'https://{{id}}.example.com/',
  'https://example.com:{{id}}/',
  'https://{{id}}@example.com/',
  'https://example.com{{id}}/',
  'http{{id}}://example.com/',
  'https://example.com/?{{id}}',
  'https://example.com/?a=1&{{id}}=2',
  'https://example.com/#{{id}}',
  'https://example.com/{{id',
  'https://example.com/id}}',
  'https://example.com/?to={{mobile',
  'https://example.com/?to={{mobile}',
  'https://example.com/%{{id}}',
  'https://example.com/%2{{id}}',
  `https://example.com/${'x'.repeat(8_173)}`,
];

describe('a webhook’s uri', () => {
  test.each([
    'https://example.com',
    'http://example.com/',
    'https://example.com:8443/path?x=1&y=%20',
    'http://example.com:80/',
    'https://example.com/?id={{id}}&s={{ payload.status }}',
    'https://xn--bcher-kva.example/',
    'https://bücher.example/',
    'http://8.8.8.8/',
    'http://[2606:4700:4700::1111]/',
    'https://user@example.com/',
    'https://user:p%40ss@example.com:8443/a@b?c@d#e@f',
    'https://a@b@example.com/',
    'https://********@example.com/',
    'https://example.com/#x',
    'https://example.com/?a=b#',
    'https://example.com/?a={{id}}#/?{x}',
    'https://example.com/{{id}}',
    'https://example.com/a{{id}}.{{ status }}/{{payload.list[0]}}?a={{id}}',
    'https://example.com/a%2f{{id}}',
    'https://example.com/?filter={"a":{"b":{"c":1}}}',
    `https://example.com/${'x'.repeat(8_172)}`,
  ])('%s is accepted', (uri) => {
    expect(checkCallbackUri(uri, none)).toEqual([]);
  });

  test('with a private host, another scheme or a malformed part is refused with one error', () => {
    expect(refused.filter((uri) => checkCallbackUri(uri, none).length !== 1)).toEqual([]);
  });

  test.each(['http://127.0.0.1:4000/', 'http://localhost:4000/x', 'http://[::1]:4000/', 'http://2130706433/'])(
    '%s is accepted where loopback is allowed',
    (uri) => expect(checkCallbackUri(uri, loopback)).toEqual([]),
  );

  test('names that need DNS are accepted if EGRESS_ALLOWED_CIDRS is not empty, and checked at each attempt', () => {
    expect(checkCallbackUri('http://db:5000/', loopback)).toEqual([]);
    expect(checkCallbackUri('http://db:5000/', none)).toHaveLength(1);
  });

  test.each([
    'http://10.0.0.1/',
    'http://169.254.169.254/',
    'http://[fe80::1]/',
    'http://192.168.0.1/',
    'http://unix:/sock:/',
  ])('%s is refused where only loopback is allowed', (uri) => expect(checkCallbackUri(uri, loopback)).toHaveLength(1));
});

const values: JsonObject = {
  quote: 'say "hi"\\',
  emoji: '😀 é',
  escape: 'a&b=c#d?e/f%20+',
  lone: '\ud800',
  dot: '.',
  dots: '..',
  'a/b': 1,
  'd?e': 2,
  'g#h': 3,
};

describe('in a uri', () => {
  test.each([
    ['https://x.com/?a={{escape}}&b=1', 'a&b=c#d?e/f%20+'],
    ['https://x.com/?a={{quote}}', 'say "hi"\\'],
    ['https://x.com/?a={{emoji}}', '😀 é'],
    ['https://x.com/?a={{missing}}', ''],
    ['https://x.com/?a={{lone}}', '\ufffd'],
  ])('%s: the parameter is the value and nothing is added', (uri, value) => {
    const url = new URL(renderUri(uri, values).value);
    const names = [...new URL(uri).searchParams.keys()];
    expect([...url.searchParams.keys()]).toEqual(names);
    expect(url.searchParams.get('a')).toBe(value);
    expect(url.hash).toBe('');
  });

  test.each([
    ['https://x.com/{{escape}}/b', 'https://x.com/a%26b%3Dc%23d%3Fe%2Ff%2520%2B/b'],
    ['https://x.com/v1/{{ quote }}?q', 'https://x.com/v1/say%20%22hi%22%5C?q'],
    ['https://x.com/{{missing}}/{{lone}}', 'https://x.com//%EF%BF%BD'],
    ['https://x.com/{{a/b}}?c={{d?e}}&f={{g#h}}#i', 'https://x.com/1?c=2&f=3'],
    ['https://x.com/%2F{{dots}}x/..', 'https://x.com/%2F..x/..'],
    ['https://x.com/#top', 'https://x.com/'],
    ['https://********@x.com/{{dots}}x', 'https://********@x.com/..x'],
    ['https://x.com/?a={b}#{{', 'https://x.com/?a={b}'],
  ])('%s is sent to %s', (uri, url) => expect(renderUri(uri, values).value).toBe(url));

  test.each([
    ['{{dots}}', '..'],
    ['{{dot}}', '.'],
    ['{{dot}}{{dot}}', '..'],
    ['.{{missing}}', '.'],
    ['.{{dot}}', '..'],
    ['%2E{{dot}}', '%2E.'],
    ['{{missing}}%2e', '%2e'],
    ['{{dots}};a=1', '..;a=1'],
  ])('the segment %s, which would be %s, is empty', (segment, rendered) => {
    const { value, warnings } = renderUri(`https://x.com/a/${segment}/b`, values);
    expect(value).toBe('https://x.com/a//b');
    expect(warnings).toContain(`the path segment ${segment} would be "${rendered}"; it was left empty`);
  });
});

describe('a user and password', () => {
  test.each([
    ['https://user:pass@example.com/x', 'https://********@example.com/x', 'user:pass'],
    ['HTTP://user@example.com', 'HTTP://********@example.com', 'user'],
    ['https://a@b:c@example.com?@', 'https://********@example.com?@', 'a@b:c'],
    ['https://example.com/a@b', 'https://example.com/a@b', null],
    ['https://example.com?a=b@c', 'https://example.com?a=b@c', null],
    ['https://example.com#@', 'https://example.com#@', null],
  ])('of %s are masked', (given, uri, userinfo) => {
    expect(splitUserinfo(given)).toEqual({ uri, userinfo });
    expect(new URL(withoutMask(uri)).username).toBe('');
  });

  const stored = { uri: 'https://********@example.com:8443/old', userinfo: 'user:pass' };
  test.each([
    ['https://********@example.com:8443/new?a=1#b', 'user:pass'],
    ['https://********@EXAMPLE.com:8443/', 'user:pass'],
    ['https://user:********@example.com:8443/new', 'user:pass'],
    ['https://other:word@example.org/', 'other:word'],
    ['https://example.com:8443/old', null],
  ])('in an edit with %s become %j', (given, userinfo) => {
    expect(resolveUserinfo(given, stored)).toEqual({ uri: splitUserinfo(given).uri, userinfo });
  });
  test.each([
    'https://********@example.org:8443/old',
    'https://********@example.com/old',
    'http://********@example.com:8443/old',
    'https://other:********@example.com:8443/old',
    'https://********:word@example.com:8443/old',
    'https://********:********@example.com:8443/old',
  ])('are not kept by an edit with %s', (given) => expect(resolveUserinfo(given, stored)).toBeNull());
  test('that are masked belong to no new webhook, nor to one without them', () => {
    expect(resolveUserinfo(stored.uri, null)).toBeNull();
    expect(resolveUserinfo(stored.uri, { uri: 'https://example.com:8443/old', userinfo: null })).toBeNull();
  });

  test.each([
    ['user:pass', 'user:pass'],
    ['user', 'user:'],
    ['%C3%BC:%ff%zz%', 'ü:\ufffd%zz%'],
    ['ü:%3A%40', 'ü::@'],
  ])('%s are sent as %s', (userinfo, sent) => expect(decodeUserinfo(userinfo).toString('utf8')).toBe(sent));
});

test.each([
  ['https://example.com/?to={mobile}', '{mobile}'],
  ['https://example.com/dlr/{message.id}/x', '{message.id}'],
  ['https://example.com/?to=%0&status=%1', '%0'],
  ['https://example.com/?status=%9', '%9'],
  ['https://example.com/?a=%20b&c=%2F&d={}&e={"f":1}', undefined],
  ['https://example.com/?to={{mobile}}&status={status}', undefined],
])('the placeholder of another service in %s is %s', (uri, found) => expect(foreignPlaceholder(uri)).toBe(found));

test('a uri that is shown with a mask may be sent back, so with it too it has up to 8,192 characters', () => {
  const start = 'https://a:b@example.com/';
  expect(checkCallbackUri(start + 'x'.repeat(8_192 - start.length - 5), none)).toEqual([]);
  expect(checkCallbackUri(start + 'x'.repeat(8_192 - start.length - 4), none)).toHaveLength(1);
});

test('a uri has up to 8,192 characters; an emoji counts as one', () => {
  const uri = `https://example.com/?q=${'😀'.repeat(8_192 - 23)}`;
  expect(checkCallbackUri(uri, none)).toEqual([]);
  expect(checkCallbackUri(`${uri}x`, none)).toEqual(['The uri field must not be greater than 8192 characters.']);
});

const errorCountOf = (port: number): number => checkCallbackUri(`https://example.com:${port}/`, none).length;

// As https://fetch.spec.whatwg.org/#port-blocking lists them.
const blockedPorts = [
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109],
  ...[110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530],
  ...[531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190],
  ...[5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
];

test('exactly the ports that browsers block are refused, and what is no port', () => {
  const ports = Array.from({ length: 65_540 }, (_, port) => port);
  const expected = [...blockedPorts, 65_536, 65_537, 65_538, 65_539];
  expect(ports.filter((port) => errorCountOf(port) !== 0)).toEqual(expected);
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

/** What no value may change: all but the contents of segments and of query values. */
const shapeOf = (text: string) => {
  const { origin, pathname, searchParams, hash, username, password } = new URL(text);
  return [origin, pathname.split('/').length, [...searchParams.keys()], hash, username, password];
};

test('a uri that is accepted never has a private address, and no value changes its host or adds a part', () => {
  let acceptedCount = 0;
  fc.assert(
    fc.property(anyUri, fc.oneof(fc.constantFrom(...pieces), anyText), (uri, value) => {
      if (checkCallbackUri(uri, none).length > 0) return;
      acceptedCount++;
      const masked = splitUserinfo(uri).uri;
      const { hostname, host, hash, username, password } = new URL(withoutMask(renderUri(masked, {}).value));
      expect(hash + username + password).toBe('');
      expect(host).toBe(new URL(renderUri(uri, {}).value).host);
      const literal = hostname.replace(/^\[|\]$/g, '');
      expect(isIP(literal) === 0 ? isPrivateName(hostname) : isForbiddenAddress(literal, none)).toBe(false);
      expect(shapeOf(renderUri(uri, { id: value }).value)).toEqual(shapeOf(renderUri(uri, {}).value));
    }),
    { numRuns: 20_000 },
  );
  expect(acceptedCount).toBeGreaterThan(1_000);
});
