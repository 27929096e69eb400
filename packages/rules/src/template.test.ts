import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from './json.js';
import { checkTemplate, renderBody } from './template.js';

const values: JsonObject = {
  id: 'm:1',
  units: 2,
  quote: 'say "hi"\\',
  lines: 'one\ntwo\u0000\u2028',
  emoji: '😀 é',
  nested: '{{id}} {{units}}',
  dollar: "$& $1 $` $'",
  escape: 'a&b=c#d?e/f%20+',
  flag: true,
  nothing: null,
  list: [{ b: 'x' }, 'second'],
  obj: { k: [1] },
  lone: '\ud800',
  'dotted.name': 1,
  constructor: 'own',
};

test.each([
  ['{{id}}', 'm:1'],
  ['{{ id }}', 'm:1'],
  ['{{units}}', 2],
  ['{{ flag }}', true],
  ['{{obj}}', { k: [1] }],
  ['{{list.0.b}}', 'x'],
  ['{{list[0].b}}', 'x'],
  ['{{list[1]}}', 'second'],
  ['no: {{units}}', 'no: 2'],
  ['{{id}}{{units}}', 'm:12'],
  ['is {{obj}}', 'is {"k":[1]}'],
  ['{{quote}}', 'say "hi"\\'],
  ['a {{quote}} b', 'a say "hi"\\ b'],
  ['{{lines}}', 'one\ntwo\u0000\u2028'],
  ['x{{emoji}}', 'x😀 é'],
  ['{{nested}}', '{{id}} {{units}}'],
  ['x {{nested}}', 'x {{id}} {{units}}'],
  ['x {{dollar}}', "x $& $1 $` $'"],
  ['{{constructor}}', 'own'],
  ['{{ID}}', null],
  ['{{nothing}}', null],
  ['{{missing}}', null],
  ['x{{nothing}}y', 'xy'],
  ['x{{missing}}y', 'xy'],
  ['{{__proto__.x}}', null],
  ['{{__proto__}}', null],
  ['{{toString}}', null],
  ['{{id.constructor.name}}', null],
  ['{{list.length}}', null],
  ['{{list.9}}', null],
  ['{{dotted.name}}', null],
  ['{{}}', '{{}}'],
  ['{{ }}', '{{ }}'],
  ['{{id', '{{id'],
  ['{ {id}}', '{ {id}}'],
  ['{{{id}}}', '{m:1}'],
  ['{{id}}}}', 'm:1}}'],
  ['{{\nid}}', '{{\nid}}'],
  ['plain', 'plain'],
])('%s becomes %j', (text, value) => {
  expect(renderBody({ field: text }, values).value).toEqual({ field: value });
});

test.each([
  ['{{missing}}', '{{missing}} is unknown'],
  ['x{{missing}}', '{{missing}} is unknown'],
  ['{{nothing}}', '{{nothing}} is null'],
])('%s warns: %s', (text, warning) => {
  expect(renderBody({ field: text }, values).warnings).toEqual([warning]);
});

test('keys and values of other types are kept, and strings at any depth are rendered', () => {
  const template = { '{{id}}': 1, a: [null, false, 3, { b: ['{{units}}'] }] };
  expect(renderBody(template, values).value).toEqual({ '{{id}}': 1, a: [null, false, 3, { b: [2] }] });
});

test('a key __proto__ stays a key', () => {
  const template: JsonObject = JSON.parse('{"__proto__":{"admin":"{{flag}}"}}');
  expect(JSON.stringify(renderBody(template, values).value)).toBe('{"__proto__":{"admin":true}}');
  expect(Reflect.get({}, 'admin')).toBeUndefined();
});

describe('payload.mobile of RCS', () => {
  test.each([
    [{ payload: { to: '91' } }, '91'],
    [{ payload: { recipient: { from: '92' } } }, '92'],
    [{ payload: { to: '91', mobile: '93' } }, '93'],
    [{ payload: {} }, null],
    [{ event: 'rcs:message:in', payload: { to: '91', recipient: { from: '92' } } }, '92'],
    [{ event: 'rcs:message:status', payload: { to: '91', recipient: { from: '92' } } }, '91'],
    [{ payload: { to: '91', mobile: null } }, null],
  ])('in %j is %j', (event: JsonObject, value) => {
    expect(renderBody({ m: '{{payload.mobile}}' }, event).value).toEqual({ m: value });
  });
});

test.each([
  ['a list', [], 1],
  ['a text', 'text', 1],
  ['null', null, 1],
  ['more than 16 KiB', { a: 'x'.repeat(16 * 1024) }, 1],
  ['101 placeholders', { a: '{{a}}'.repeat(101) }, 1],
  ['a NUL', { a: 'nul \0' }, 1],
  ['40 levels', Array.from({ length: 40 }).reduce<object>((inner) => ({ inner }), {}), 1],
  ['no members', {}, 0],
  ['100 placeholders', { a: '{{a}}'.repeat(100) }, 0],
])('the check of a template, %s', (_what, template, count) => {
  expect(checkTemplate(template)).toHaveLength(count);
});

test('any JSON value survives from a placeholder to the parsed body', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      // JSON does not keep -0.
      const sent: JsonValue = JSON.parse(JSON.stringify(value));
      const body: unknown = JSON.parse(JSON.stringify(renderBody({ whole: '{{v}}' }, { v: sent }).value));
      expect(body).toEqual({ whole: sent });
    }),
  );
});
