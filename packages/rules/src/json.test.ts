import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  ExactNumber,
  measureDepth,
  memberTexts,
  parseExactJson,
  stringifyExactJson,
  withExactPayload,
} from './json.js';
import { parseEvent } from './event.js';
import { failuresOf } from './failures.fixture.js';

const numbers = ['12345678901234567890', '2.0000', '1e3', '1E+3', '-0', '-0.0', '0.10', '1e400', '9007199254740993'];

test('a number that JavaScript would write differently keeps its text', () => {
  for (const number of numbers) {
    for (const text of [
      number,
      `[${number}]`,
      `{"a":${number},"b":[${number},1]}`,
      `{"a":{"b":${number}},"c":"${number}"}`,
    ])
      expect(stringifyExactJson(parseExactJson(text))).toBe(text);
  }
});

test('all other values equal the result of JSON.parse', () => {
  const text =
    ' {"a" : [ 1 , 1.5 , "2.0000" , {} , [] , null , true ] , "a\\u0062" : "x\\"}" , "__proto__" : { "n" : -0 } } ';
  const value = parseExactJson(text);
  expect(stringifyExactJson(value)).toBe('{"a":[1,1.5,"2.0000",{},[],null,true],"ab":"x\\"}","__proto__":{"n":-0}}');
  expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
  expect(() => parseExactJson('{"a":1.0,}')).toThrow(SyntaxError);
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2, '\t'), (json, indent) => {
      const written = JSON.stringify({ exact: 0, json }, null, indent).replace('0', '1.0');
      expect(JSON.stringify(parseExactJson(written))).toBe(JSON.stringify({ exact: 1, json }));
    }),
  );
});

test('of duplicate members the last one counts', () => {
  expect(stringifyExactJson(parseExactJson('{"a":1.0,"b":1,"a":2.0}'))).toBe('{"a":2.0,"b":1}');
});

test('a placeholder path cannot reach into a number', () => {
  expect(Object.keys(new ExactNumber('1.0'))).toEqual([]);
});

const payloads = (text: string) => memberTexts(text, 'payload');

describe('the source of a member', () => {
  test.each([
    ['{"payload":{"id":"x"}}', ['{"id":"x"}']],
    [
      '{"payload" : { "n" : 2.0000 , "big":12345678901234567890,"e":1e2 } }',
      ['{ "n" : 2.0000 , "big":12345678901234567890,"e":1e2 }'],
    ],
    [' \n{"a":1,\t"payload"\n:\r\n{"2":1,"1":2}\n,"b":[]}\n', ['{"2":1,"1":2}']],
    ['{"payload":{"a":1,"a":2,"\\u0061":3}}', ['{"a":1,"a":2,"\\u0061":3}']],
    ['{"payload":{"first":1},"payload":{"last":1}}', ['{"last":1}']],
    ['{"p\\u0061yload":{"a":1}}', ['{"a":1}']],
    ['{"\\"payload":1,"payload\\\\":2}', [undefined]],
    ['{"x":{"payload":1},"y":[{"payload":2}]}', [undefined]],
    ['{"x":"payload","payload":{"payload":{"payload":1}},"z":"\\"payload\\":3"}', ['{"payload":{"payload":1}}']],
    ['{"payload":{"text":"}],{\\"\\\\","t":"\\\\"}}', ['{"text":"}],{\\"\\\\","t":"\\\\"}']],
    ['{"payload":"{\\"id\\":1}"}', ['"{\\"id\\":1}"']],
    ['{"payload":null}', ['null']],
    ['{"payload":[1,[2],{"payload":3}]}', ['[1,[2],{"payload":3}]']],
    ['[{"payload":{"a":1.0}},{},{"payload":{"b":2.0}}]', ['{"a":1.0}', undefined, '{"b":2.0}']],
    [
      '[1,"payload",null,["payload",{"payload":1}],[],{"payload": {} }]',
      [undefined, undefined, undefined, undefined, undefined, '{}'],
    ],
    ['[]', []],
    [' [ ] ', []],
    ['{}', [undefined]],
    ['"payload"', [undefined]],
    ['7', [undefined]],
  ])('of %s', (text, sources) => {
    JSON.parse(text);
    expect(payloads(text)).toEqual(sources);
  });

  test('parses to the member that JSON.parse returns, with any other members and white space', () => {
    const items = fc.oneof(
      fc.dictionary(fc.constantFrom('payload', 'a', '\\', '"', ''), fc.jsonValue()),
      fc.jsonValue(),
    );
    const texts = fc
      .oneof(items, fc.array(items))
      .chain((value) =>
        fc.constantFrom(0, 1, 2, '\t').map((indent) => ({ value, text: JSON.stringify(value, null, indent) })),
      );
    fc.assert(
      fc.property(texts, ({ text }) => {
        const value: unknown = JSON.parse(text);
        const list: unknown[] = Array.isArray(value) ? value : [value];
        const wanted = list.map((item) =>
          typeof item === 'object' && item !== null && !Array.isArray(item) ? Reflect.get(item, 'payload') : undefined,
        );
        const found = payloads(text).map((source) => (source === undefined ? undefined : JSON.parse(source)));
        expect(found).toEqual(wanted);
      }),
    );
  });

  test('four million tokens of any kind take linear time and no deep stack', () => {
    const count = 4_000_000;
    expect(payloads(`{"payload":"${'\\\\'.repeat(count / 2)}"}`)[0]).toHaveLength(count + 2);
    expect(payloads(`{"payload":${'['.repeat(count)}${']'.repeat(count)}}`)[0]).toHaveLength(2 * count);
    expect(payloads(`[${'0,'.repeat(count)}{"payload":{}}]`).at(-1)).toBe('{}');
    expect(payloads(`{"payload":{}${' '.repeat(count)}}`)).toEqual(['{}']);
  });

  test.each(['{"payload":', '{"payload":{"a', '"', '"\\', '}}]]', '[}', ':,:,', ''])(
    'invalid JSON, %j, does not throw',
    (text) => expect(payloads(text).length).toBeGreaterThan(0),
  );
});

test.each([
  ['1', 0],
  ['"[[["', 0],
  ['{"a":"\\"[[["}', 1],
  ['[[],[[]]]', 3],
  ['{"a":[[[]]],"a":1}', 4],
])('the text %s is nested %i levels deep', (text, depth) => expect(measureDepth(text)).toBe(depth));

type Documents = Record<'broken' | 'valid' | 'either', Record<string, string>>;
const file = new URL('../src/json-documents.json', import.meta.url);
const documents: Documents = JSON.parse(readFileSync(file, 'utf8'));
const { broken, valid, either } = Object.fromEntries(
  (['broken', 'valid', 'either'] as const).map((kind) => [
    kind,
    Object.entries(documents[kind]).map(([name, bytes]) => [name, Buffer.from(bytes, 'latin1').toString()] as const),
  ]),
) as Record<keyof Documents, (readonly [string, string])[]>;

const envelope = { event: 'sms:message:status', webhook_id: '0190a0a0-0000-7000-8000-000000000000' };
const payloadOf = (parsed: ReturnType<typeof parseEvent>) => (parsed.ok ? parsed.event.payload : parsed.errors);

const within = (text: string): string => `{"id":"1","value":${text}}`;
const refusal = { payload: [expect.stringMatching(/^payload must /)] };

test('each broken document as a payload is refused with a reason', async () => {
  const failures = await failuresOf(broken, ([, text]) => {
    expect(payloadOf(parseEvent({ ...envelope, payload: text }))).toEqual(refusal);
  });
  expect(failures).toEqual([]);
});

test('each broken document within a payload is refused with a reason', async () => {
  const failures = await failuresOf(broken, ([, text]) => {
    expect(payloadOf(parseEvent({ ...envelope, payload: within(text) }))).toEqual(refusal);
  });
  expect(failures).toEqual([]);
});

test('each valid document within a payload that is text is kept byte for byte', async () => {
  const failures = await failuresOf(valid, ([, text]) => {
    expect(payloadOf(parseEvent({ ...envelope, payload: within(text) }))).toBe(within(text));
  });
  expect(failures).toEqual([]);
});

test('each valid document within a payload that is an object is kept byte for byte', async () => {
  const failures = await failuresOf(valid, ([, text]) => {
    const payload = within(text);
    const source = `{"event":"${envelope.event}", "payload" : ${payload} ,"webhook_id":"${envelope.webhook_id}"}`;
    expect(payloadOf(parseEvent(JSON.parse(source), memberTexts(source, 'payload')[0]))).toBe(payload);
  });
  expect(failures).toEqual([]);
});

test('each document that parsers may treat either way is kept byte for byte or refused with a reason', async () => {
  const failures = await failuresOf(either, ([, text]) => {
    const payload = within(text);
    const parsed = payloadOf(parseEvent({ ...envelope, payload }));
    if (typeof parsed === 'string') expect([parsed, JSON.parse(payload).id]).toEqual([payload, '1']);
    else expect(parsed).toEqual({ payload: [expect.stringMatching(/^payload (must|is nested) /)] });
  });
  expect(failures).toEqual([]);
});

test.each([
  ['{"payload":{"id":"m","n":1.0}}', '{"id":"m","n":1.0}'],
  ['{"payload":{"id":"m","n":1.0},"x":{"id":"m","n":1}}', '{"id":"m","n":1.0}'],
  ['{"x":{"payload":{"n":1}},"payload":{"n":1.0}}', '{"n":1.0}'],
  ['{"payload":{"n":1},"payload":{"n":1.0}}', '{"n":1.0}'],
  ['{ "payload": {"id":"m", "n":1} }', '{"id":"m", "n":1}'],
  ['{"payload":{"id":"m","n":1},"x":{"n":1}}', { id: 'm', n: 1 }],
  ['{"payload":"{\\"n\\":1.0}"}', '{"n":1.0}'],
])('of %s, the payload is kept as %j', (text, payload) => {
  expect(withExactPayload(JSON.parse(text), text)).toMatchObject({ payload });
});
