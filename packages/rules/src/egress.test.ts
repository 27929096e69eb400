import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isForbiddenAddress, isPrivateName, parseAllowList } from './egress.js';

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
