import fc from 'fast-check';

// fast-check's own unit 'binary' takes seconds to build.
const anyCharacter = fc.nat(0x10ffff).map((codePoint) => String.fromCodePoint(codePoint));

const hostileText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.constantFrom(
    ...['', ' ', '\0', 'a\0b', '\ud800', '\uffff', '🙂', '%', '_', '\\', "'; DROP TABLE webhooks; --", '{{id}}'],
  ),
  fc.constantFrom('__proto__', 'constructor', 'toString', '../..', '\r\nX: 1', 'null', 'NaN', '1e400', '0', '1', '-1'),
  fc.constantFrom(255, 256, 2_049, 70_000).map((length) => 'x'.repeat(length)),
);

export const hostileValue = fc.oneof(
  hostileText,
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom(null, true, 0, 1, -1, 1.5, 1e308, 2 ** 53, [], {}, [[]], { length: 1 }, { toString: 1 }),
);

export const hostileKey = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', '_method', 'account_id', 'access_token', 'x', ''),
  hostileText,
);

// Longer URLs do not reach the app; server.test.ts tests their 431.
const inUrl = hostileText.map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 2_000));

export const hostileSegment = fc.oneof(
  { arbitrary: fc.constantFrom('1', '', '..', '%00', '%zz', '%2f', '%F0'), weight: 2 },
  inUrl,
);

const hostileName = fc.oneof(fc.constantFrom('filter[x]', 'filter', 'filter%5Bname%5D', '_method'), inUrl);
const hostileParameterValue = fc.oneof(
  fc.constantFrom('1', '2', '0', '-1', '999999999999999999999', 'a,b', '%00', '%25', '%zz', 'e30'),
  fc.constantFrom('PUT', 'DELETE', 'GET', 'failed,pending', '2026-01-31', 'with'),
  fc.constant(Array.from({ length: 2_000 }, (_, index) => `n${index}`).join(',')),
  inUrl,
);
/** A percent-encoded query parameter, with one of these names or another one. */
export const hostileParameter = (names: string[]) =>
  fc.tuple(fc.oneof(fc.constantFrom(...names), hostileName), hostileParameterValue).map((pair) => pair.join('='));

const depth = fc.constantFrom(10, 99, 101, 5_000);
/** JSON values that `JSON.stringify` never writes. */
const rawValue = fc.oneof(
  depth.map((levels) => '['.repeat(levels) + ']'.repeat(levels)),
  depth.map((levels) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`),
  fc.constantFrom('1e999', '{"__proto__":{"a":1e400}}', '{"a":1,"a":2}', '\ufeff{}'),
);

/** Texts that are not JSON, and unusual JSON, some of them derived from the given texts. */
export const rawText = (texts: fc.Arbitrary<string>) =>
  fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 60 }),
    rawValue,
    texts.map((text) => text.slice(0, -1)),
    fc.tuple(texts, rawValue).map(([text, raw]) => text.replace(/"[^"\\]*"(?=[,}\]])/, () => raw)),
  );
