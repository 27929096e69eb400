import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkCallbackUri } from './callback-uri.js';
import { isForbiddenAddress, isPrivateName, parseAllowList, parseNat64Prefixes } from './egress.js';

const none = parseAllowList('');

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
