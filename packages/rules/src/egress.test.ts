import { isIP } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkCallbackUri, isForbiddenAddress, isPrivateName, parseAllowList, parseNat64Prefixes } from './egress.js';
import { renderUri } from './template.js';

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
  'http://\\@127.0.0.1/',
  'http://example.com\\@127.0.0.1/',
  'http://a%2f@127.0.0.1/',
  'https://user@example.com/',
  'https://user:pass@example.com/',
  'https://@example.com/',
  'https://example.com/#x',
  'https://example.com/#',
  'https://example.com/a b',
  'https://example.com/\n',
  ' https://example.com/',
  'https://example.com/\u0000',
  'https://example.com:22/',
  'https://example.com:25/',
  'https://example.com:6000/',
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
  'https://example.com/{{id}}',
  `https://example.com/${'x'.repeat(2_029)}`,
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
    `https://example.com/${'x'.repeat(2_028)}`,
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

describe('addresses', () => {
  test.each([
    '',
    'localhost',
    '1.2.3',
    '1.2.3.4.5',
    'fe80::1%eth0',
    '::ffff:8.8.8.8',
    '2001:db8::1',
    '3fff::1',
    '2620:4f:8000::1',
  ])('%s is forbidden', (address) => expect(isForbiddenAddress(address, none)).toBe(true));
  test.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '2a00:1450::1',
  ])('%s is allowed', (address) => expect(isForbiddenAddress(address, none)).toBe(false));
  test('a uri has up to 2,048 characters; an emoji counts as one', () => {
    const uri = `https://example.com/?q=${'😀'.repeat(2_048 - 23)}`;
    expect(checkCallbackUri(uri, none)).toEqual([]);
    expect(checkCallbackUri(`${uri}x`, none)).toEqual(['The uri field must not be greater than 2048 characters.']);
  });
  test('a single address may be allowed', () => {
    const allow = parseAllowList(' 10.1.2.3 , fd00::/8');
    expect(isForbiddenAddress('10.1.2.3', allow)).toBe(false);
    expect(isForbiddenAddress('10.1.2.4', allow)).toBe(true);
    expect(isForbiddenAddress('fd12::1', allow)).toBe(false);
  });
  test('IPv6: exactly the global unicast addresses outside the special ranges are allowed', () => {
    const word = fc.oneof(
      fc.constantFrom(0x2000, 0x2001, 0x2002, 0x2620, 0x3fff, 0x1ff, 0x200, 0xdb8, 0x4f, 0x8000, 0xfff, 0x1000),
      fc.nat(0xffff),
    );
    fc.assert(
      fc.property(fc.array(word, { minLength: 8, maxLength: 8 }), (words) => {
        const [a = 0, b = 0, c = 0] = words;
        const special = [
          a === 0x2001 && b < 0x200,
          a === 0x2001 && b === 0xdb8,
          a === 0x2002,
          a === 0x3fff && b < 0x1000,
        ];
        const forbidden =
          a < 0x2000 || a > 0x3fff || special.includes(true) || (a === 0x2620 && b === 0x4f && c === 0x8000);
        expect(isForbiddenAddress(words.map((value) => value.toString(16)).join(':'), none)).toBe(forbidden);
      }),
    );
  });
  test.each(['::1%lo', '10.0.0.0/33', '10.0.0/8', 'x', '::/129', '1.2.3.4/', '1.2.3.4/8/8', 'localhost'])(
    'an error names "%s", which is not a CIDR range',
    (text) => {
      expect(() => parseAllowList(`127.0.0.0/8,${text}`)).toThrow(`"${text}"`);
    },
  );
  test.each(['10.0.0.0/0', 'fd00::/0'])('"%s", which is every address by a slip, is an error', (text) => {
    expect(() => parseAllowList(text)).toThrow(`has "${text}", which is every address`);
    expect(parseAllowList('0.0.0.0/0,::/0').has('10.0.0.1')).toBe(true);
  });
  test.each([
    ['localhost', true],
    ['db', true],
    ['db.', true],
    ['a.internal', true],
    ['example.com', false],
    ['local.example.com', false],
    ['localhost..', true],
    ['X.LOCALHOST', true],
    ['1.1.1.1', false],
    ['2606:4700::1', false],
    ['[::1]', false],
  ])('%s is a private name: %p', (name, isPrivate) => {
    expect(isPrivateName(name)).toBe(isPrivate);
  });
});

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

describe('NAT64', () => {
  const own = '2001:db8:64::/96,2600:1::/32,2600:2::/40,2600:3::/48,2600:4::/56,2600:5::/64';
  const network = none.withNat64Prefixes(parseNat64Prefixes(own));

  // RFC 6052, section 2.2: 192.0.2.33 in prefixes of each length. Here 8.8.4.4, 10.1.2.3 and 169.254.169.254.
  test.each([
    ['64:ff9b::8.8.4.4', false],
    ['64:ff9b::808:404', false],
    ['64:ff9b::a01:203', true],
    ['64:ff9b::a9fe:a9fe', true],
    ['64:ff9b::169.254.169.254', true],
    ['64:ff9b:0:0:0:0:7f00:1', true],
    ['64:ff9b:1::808:404', true],
    ['2001:db8:64::808:404', false],
    ['2001:db8:64::a01:203', true],
    ['2001:db8:65::808:404', true],
    ['2600:1:808:404::', false],
    ['2600:1:a01:203::', true],
    ['2600:2:8:804:4::', false],
    ['2600:2:a:102:3::', true],
    ['2600:3:0:808:4:400::', false],
    ['2600:3:0:a01:2:300::', true],
    ['2600:4:0:8:8:404::', false],
    ['2600:4:0:a:1:203::', true],
    ['2600:5::8:804:400:0', false],
    ['2600:5::a:102:300:0', true],
  ])('%s is forbidden: %p', (address, isForbidden) => {
    expect(isForbiddenAddress(address, network)).toBe(isForbidden);
  });

  test.each(['64:ff9b::/96', '::/0', '2001:db8:64::/96'])('%s in the allow list opens no private address', (text) => {
    const list = parseAllowList(text).withNat64Prefixes(parseNat64Prefixes(own));
    for (const address of ['64:ff9b::a9fe:a9fe', '2001:db8:64::7f00:1']) {
      expect([isForbiddenAddress(address, list), list.has(address)]).toEqual([true, false]);
      expect(checkCallbackUri(`http://[${address}]/`, list)).toHaveLength(1);
    }
  });

  test('a private address that is allowed itself is allowed inside too', () => {
    expect(isForbiddenAddress('64:ff9b::a01:203', parseAllowList('10.0.0.0/8'))).toBe(false);
    expect(isForbiddenAddress('64:ff9b::a9fe:a9fe', parseAllowList('10.0.0.0/8'))).toBe(true);
  });

  test.each([
    '64:ff9b::',
    '64:ff9b::/33',
    '10.0.0.0/8',
    'fe80::%eth0/64',
    '2001:db8::1/64',
    'x/96',
    '2001:db8::/96/96',
  ])('NAT64_PREFIXES does not take %s, and the error names it', (text) => {
    expect(() => parseNat64Prefixes(`2001:db8:64::/96, ${text}`)).toThrow(`has "${text}"`);
  });
});
