import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { compose } from './compose.js';
import type { JsonObject, JsonValue } from './path.js';
import { sign } from './signature.js';
import { checkTemplate, renderBody, renderText, renderUri } from './template.js';

// What breaks templates, queries, headers and JSON in particular.
const ours = [
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
  // emoji and what is no character
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
const naughty = [...new Set([...ours, ...strings])];

const named = naughty.map((value, index) => ({ name: `${index}: ${JSON.stringify(value).slice(0, 40)}`, value }));

describe.each(named)('the naughty string $name', ({ value }) => {
  test('as a value in a uri: the parameter is the value, and nothing else changes', () => {
    const uri = 'https://example.com/in?a=1&whole={{v}}&part=x{{ v }}y&z=2';
    const url = new URL(renderUri(uri, { v: value }).value);
    const text = value.toWellFormed();
    expect([...url.searchParams]).toEqual([
      ['a', '1'],
      ['whole', text],
      ['part', `x${text}y`],
      ['z', '2'],
    ]);
    expect(url.origin + url.pathname + url.hash + url.username).toBe('https://example.com/in');
    expect(renderUri(uri, { v: value }).value).toMatch(/^[\x21-\x7e]+$/);
  });

  test('as a value in a body: parses back as it was, whole and within a text, and adds no key', () => {
    const template = { whole: '{{v}}', part: 'x{{v}}y', twice: ['{{v}}{{v}}'], deep: { er: [{ v: '{{ v }}' }] } };
    const expected = { whole: value, part: `x${value}y`, twice: [value + value], deep: { er: [{ v: value }] } };
    expect(parse(JSON.stringify(renderBody(template, { v: value }).value))).toEqual(expected);
  });

  test('as a field’s name: is a path like any other, and never leads to what is JavaScript’s own', () => {
    const { value: found } = renderBody({ found: `{{${value}}}` }, {});
    expect(parse(JSON.stringify(found))).toEqual({
      found: /^[ \t]*[^\s{}\p{Cc}\p{Cs}]+[ \t]*$/u.test(value) ? null : expect.any(String),
    });
  });

  test('as a key of a template: stays that key', () => {
    const template: JsonObject = Object.fromEntries([[value, '{{id}}']]);
    const rendered = JSON.stringify(renderBody(template, { id: 'm' }).value);
    expect(rendered).toBe(`{${JSON.stringify(value)}:"m"}`);
    expect(Reflect.get({}, 'id')).toBeUndefined();
  });

  test('in a callback: the body is JSON, what is signed is what is sent, and no header changes', () => {
    const payload = JSON.stringify({ id: 'm', v: value });
    const input = {
      ...{
        event: 'sms:message:status' as const,
        payload,
        webhookId: '180ebbb5-9b6f-4c51-a98a-0123456789ab',
        signing: true,
      },
      ...{ uri: 'https://example.com/?v={{v}}', bearer: 'token', deliveryId: 'd', attempt: 1, version: '1' },
      ...{ eventId: 'e', receivedAt: new Date(0), at: new Date(0), signingSecrets: [] },
    };
    const plain = compose({ ...input, template: null });
    const composed = compose({ ...input, template: { v: '{{v}}', text: '<{{v}}>' } });
    expect(parse(plain.body.toString())).toEqual({ id: 'm', v: value });
    expect(parse(composed.body.toString())).toEqual({ v: value, text: `<${value}>` });
    expect(composed.headers.Signature).toBe(sign(composed.body, input.webhookId));
    expect(Object.keys(composed.headers)).toEqual(Object.keys(plain.headers));
  });
});

describe('time grows no faster than the text', () => {
  const measure = (work: () => unknown): number => {
    const times = Array.from({ length: 7 }, () => {
      const startedAt = performance.now();
      work();
      return performance.now() - startedAt;
    });
    return Math.min(...times);
  };
  // Eight times as much takes 8 times as long when linear, 64 times when quadratic: that, a busy machine cannot hide from
  // all of ten looks, and it cannot make the one into the other in all of them.
  const expectLinear = (work: (size: number) => () => unknown, size: number) => {
    const looks = Array.from({ length: 10 }, () => () => measure(work(size * 8)) < measure(work(size)) * 24 + 1);
    expect(looks.some((look) => look())).toBe(true);
  };

  test.each([
    '{{',
    '{{{',
    '}}',
    '{{a',
    '{{ ',
    '{{a ',
    '{{a}',
    '{{a.b[0]',
    '{{a}}',
    '{{ a }}',
    '{{}}',
    '{ {',
    '[1]',
    '.',
    'a',
    ' ',
    '😀',
    '$&',
  ])('a text of %j, with and without an opening brace before it', (piece) => {
    const scope: JsonObject = { a: 'x' };
    expectLinear((size) => {
      const text = piece.repeat(size / piece.length);
      return () => [renderText(text, scope), renderText(`{{${text}`, scope), renderText(`{{${text}}}`, scope)];
    }, 16_384);
  });

  test('a template of 16 KiB over a payload of 256 KiB', () => {
    const template = {
      braces: '{{'.repeat(3_000),
      open: `{{${'a'.repeat(3_000)}`,
      values: '{{long}}{{ obj }}{{gone}}'.repeat(33),
    };
    expect(checkTemplate(template)).toEqual([]);
    const scopeOf = (size: number): JsonObject => ({
      long: 'x'.repeat(size / 2),
      obj: { list: Array(size / 16).fill('{{long}}') },
    });
    expectLinear((size) => {
      const scope = scopeOf(size);
      return () => renderBody(template, scope);
    }, 32 * 1024);
  });
});
