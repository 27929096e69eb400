import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { composeCallback, sign } from './callback.js';
import { failuresOf } from './failures.fixture.js';
import type { JsonObject, JsonValue } from './json.js';
import { renderUri } from './callback-uri.js';
import { checkTemplate, renderBody } from './template.js';
import { createNaming, defaultNaming } from './naming.js';

// Strings that are likely to break templates, queries, headers and JSON.
const ownStrings = [
  // reserved words and numbers
  ...[
    '',
    ' ',
    'undefined',
    'null',
    'NULL',
    '(null)',
    'nil',
    'true',
    'false',
    'None',
    'hasOwnProperty',
    'then',
    '\\',
    '\\\\',
  ],
  ...[
    'constructor',
    '__proto__',
    'prototype',
    'toString',
    'valueOf',
    'length',
    '__defineGetter__',
    'this',
    'arguments',
  ],
  ...[
    '0',
    '-0',
    '1e400',
    '-1',
    '0x10',
    'NaN',
    'Infinity',
    '1_000',
    '٠١٢',
    '123456789012345678901234567890',
    '0.1',
    '1,000',
  ],
  // punctuation of urls and queries
  ...[
    'a&b=c',
    '&admin=true',
    '?x',
    '#fragment',
    '%',
    '%%',
    '%zz',
    '%00',
    '%26',
    '%2526',
    '+',
    'a+b',
    ';',
    'a;b=c',
    '=',
    '==',
  ],
  ...[
    '//evil.example',
    'https://evil.example/',
    '/../../etc/passwd',
    '..%2f..%2f',
    '@evil.example',
    ':80',
    '\\evil.example',
  ],
  // punctuation of JSON and scripts
  ...[
    '"',
    '""',
    "'",
    '`',
    '"},"admin":true,"x":{"',
    '\\"',
    '\\u0022',
    '{"a":1}',
    '[]',
    '{}',
    '[1,2',
    '/* */',
    '<!--',
    ']]>',
  ],
  ...[
    "<script>alert('x')</script>",
    '"><img src=x onerror=alert(1)>',
    'javascript:alert(1)',
    "' OR 1=1 --",
    '1;DROP TABLE users',
  ],
  ...['$(touch x)', '`id`', '%n%s%p', '%x', '${7*7}', '{% raw %}', '<%= 7*7 %>', '#{7*7}', '() { :;}; echo', '$HOME'],
  // replacement patterns and other templates
  ...[
    '$&',
    '$1',
    '$`',
    "$'",
    '$$',
    '$<name>',
    '\\1',
    '{{v}}',
    '{{ v }}',
    '{{id}}',
    '{{',
    '}}',
    '{{{',
    '}}}',
    '{{{v}}}',
    '{{v',
    '{ {v} }',
  ],
  // white space and control characters
  ...[
    '\t',
    '\n',
    '\r\n',
    '\v\f',
    '\u0000',
    'a\u0000b',
    '\u0001\u001f\u007f',
    '\u0080\u009f',
    '\u0085',
    '\u00a0',
    '\u180e',
    '\ufeff',
  ],
  ...['\u2028', '\u2029', '\u200b', '\u200e\u200f', '\u202e reversed', '\u2066\u2067', '\r\nX-Injected: 1', '\u3000'],
  // letters
  ...[
    'é',
    'e\u0301',
    'ÅÍÎÏ',
    'ß',
    'İ',
    'ı',
    'ﬀ',
    'Ω≈ç√∫',
    '田中さん',
    '사회과학원',
    'الكل في المجمو',
    'שלום',
    'ด้้้้้็็็็็้้้้้',
    'Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚',
    '𝕋𝕙𝕖',
    'Ⓐ',
    '１２３',
  ],
  // emoji, lone surrogates and noncharacters
  ...[
    '😀',
    '👩‍👩‍👧‍👦',
    '🏳️‍🌈',
    '🇺🇸🇷',
    '❤️',
    '✋🏿',
    '\ud83d',
    '\ude00',
    '\ude00\ud83d',
    'a\ud800b',
    '\uffff',
    '\ufffe',
    '\ufffd',
    '\u{10ffff}',
    '\u{1d173}',
  ],
  // size
  'x'.repeat(10_000),
  '"'.repeat(1_000),
  '😀'.repeat(1_000),
  '{{'.repeat(1_000),
];

const parse = (text: string): JsonValue => JSON.parse(text);

const file = new URL('../src/naughty-strings.json', import.meta.url);
const { strings }: { strings: string[] } = JSON.parse(readFileSync(file, 'utf8'));
const naughty = [...new Set([...ownStrings, ...strings])];

describe('each naughty string', () => {
  test('as a value in a uri is the value of its parameter and changes nothing else', async () => {
    const uri = 'https://example.com/in?a=1&whole={{v}}&part=x{{ v }}y&z=2';
    const failures = await failuresOf(naughty, (value) => {
      const rendered = renderUri(uri, { v: value }).value;
      const url = new URL(rendered);
      const text = value.toWellFormed();
      expect([...url.searchParams]).toEqual([
        ['a', '1'],
        ['whole', text],
        ['part', `x${text}y`],
        ['z', '2'],
      ]);
      expect(url.origin + url.pathname + url.hash + url.username).toBe('https://example.com/in');
      expect(rendered).toMatch(/^[\x21-\x7e]+$/);
    });
    expect(failures).toEqual([]);
  });

  test('as a value in a path is one segment, which is empty instead of a dot or two', async () => {
    const uri = 'https://example.com/in/{{v}}/x{{ v }}y/end?a=1';
    const failures = await failuresOf(naughty, (value) => {
      const rendered = renderUri(uri, { v: value }).value;
      const url = new URL(rendered);
      const text = value.toWellFormed();
      const whole = text === '.' || text === '..' ? '' : text;
      expect(url.pathname.split('/').map(decodeURIComponent)).toEqual(['', 'in', whole, `x${text}y`, 'end']);
      expect(url.origin + url.search + url.hash + url.username).toBe('https://example.com?a=1');
      expect(rendered).toMatch(/^[\x21-\x7e]+$/);
    });
    expect(failures).toEqual([]);
  });

  test('as a value in a body parses back unchanged, alone and within a text, and adds no key', async () => {
    const template = { whole: '{{v}}', part: 'x{{v}}y', twice: ['{{v}}{{v}}'], deep: { er: [{ v: '{{ v }}' }] } };
    const failures = await failuresOf(naughty, (value) => {
      const expected = { whole: value, part: `x${value}y`, twice: [value + value], deep: { er: [{ v: value }] } };
      expect(parse(JSON.stringify(renderBody(template, { v: value }).value))).toEqual(expected);
    });
    expect(failures).toEqual([]);
  });

  test('as a placeholder path finds nothing, and never reaches a property of a JavaScript object', async () => {
    const failures = await failuresOf(naughty, (value) => {
      const { value: found } = renderBody({ found: `{{${value}}}` }, {});
      expect(parse(JSON.stringify(found))).toEqual({
        found: /^[ \t]*[^\s{}\p{Cc}\p{Cs}]+[ \t]*$/u.test(value) ? null : expect.any(String),
      });
    });
    expect(failures).toEqual([]);
  });

  test('as a key of a template stays that key', async () => {
    const failures = await failuresOf(naughty, (value) => {
      const template: JsonObject = Object.fromEntries([[value, '{{id}}']]);
      const rendered = JSON.stringify(renderBody(template, { id: 'm' }).value);
      expect(rendered).toBe(`{${JSON.stringify(value)}:"m"}`);
      expect(Reflect.get({}, 'id')).toBeUndefined();
    });
    expect(failures).toEqual([]);
  });

  test('in a callback leaves the body JSON, the signature that of the sent body, and the headers unchanged', async () => {
    const failures = await failuresOf(naughty, (value) => {
      const payload = JSON.stringify({ id: 'm', v: value });
      const input = {
        eventName: 'sms:message:status' as const,
        payload,
        accountId: 'b7e0c1d2-9b6f-4c51-a98a-0123456789ab',
        webhookId: '180ebbb5-9b6f-4c51-a98a-0123456789ab',
        signing: true,
        uri: 'https://example.com/?v={{v}}',
        bearer: 'token',
        deliveryId: 'd',
        attemptNumber: 1,
        naming: createNaming(defaultNaming, '1'),
        eventId: 'e',
        receivedAt: new Date(0),
        startedAt: new Date(0),
        signingSecrets: [],
      };
      const plain = composeCallback({ ...input, bodyTemplate: null });
      const composed = composeCallback({ ...input, bodyTemplate: { v: '{{v}}', text: '<{{v}}>' } });
      expect(parse(plain.body.toString())).toEqual({ id: 'm', v: value });
      expect(parse(composed.body.toString())).toEqual({ v: value, text: `<${value}>` });
      expect(composed.headers.Signature).toBe(sign(composed.body, input.webhookId));
      expect(Object.keys(composed.headers)).toEqual(Object.keys(plain.headers));
    });
    expect(failures).toEqual([]);
  });
});

describe('rendering takes time in proportion to the length of the text', () => {
  /** The CPU time of the fastest of five runs, in µs: what other processes do does not count. */
  const measureCpuMicros = (work: () => unknown): number => {
    const times = Array.from({ length: 5 }, () => {
      const before = process.cpuUsage();
      work();
      return process.cpuUsage(before).user;
    });
    return Math.min(...times);
  };
  // Eight times the length takes 8 times as long when linear and 64 times when quadratic. Garbage collection and
  // compilation disturb some of the ten comparisons, not all of them.
  const expectLinear = (work: (size: number) => () => unknown, size: number) => {
    const isLinear = () => measureCpuMicros(work(size * 8)) < measureCpuMicros(work(size)) * 24 + 1_000;
    expect(Array.from({ length: 10 }, () => isLinear).some((compare) => compare())).toBe(true);
  };

  const pieces = [
    ...['{{', '{{{', '}}', '{{a', '{{ ', '{{a ', '{{a}', '{{a.b[0]', '{{a}}', '{{ a }}', '{{}}', '{ {'],
    ...['[1]', '.', 'a', ' ', '😀', '$&'],
  ];

  test('when a text repeats one piece, with and without an opening brace before it', async () => {
    const values: JsonObject = { a: 'x' };
    const failures = await failuresOf(pieces, (piece) => {
      expectLinear((size) => {
        const text = piece.repeat(size / piece.length);
        const texts = [text, `{{${text}`, `{{${text}}}`];
        return () => texts.map((each) => [renderBody({ each }, values), renderUri(each, values)]);
      }, 4_096);
    });
    expect(failures).toEqual([]);
  });

  test('when a template of 16 KiB meets a payload of 256 KiB', () => {
    const template = {
      braces: '{{'.repeat(3_000),
      open: `{{${'a'.repeat(3_000)}`,
      values: '{{long}}{{ obj }}{{gone}}'.repeat(33),
    };
    expect(checkTemplate(template)).toEqual([]);
    const valuesOf = (size: number): JsonObject => ({
      long: 'x'.repeat(size / 2),
      obj: { list: Array(size / 16).fill('{{long}}') },
    });
    expectLinear((size) => {
      const values = valuesOf(size);
      return () => renderBody(template, values);
    }, 32 * 1024);
  });
});
