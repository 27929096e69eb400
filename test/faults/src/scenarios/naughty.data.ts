/** Texts that often break programs when they are ids, names or values. */
export const naughtyTexts: readonly string[] = [
  ...['delayed', 'active', 'failed', 'completed', 'stalled', 'limiter', 'pc', 'meta', 'id', 'wait', 'paused', 'events'],
  ...['0', '1', '-1', '12345678901234567890', '1e309', 'NaN', 'Infinity', 'null', 'undefined', 'true', '[]', '{}'],
  ...[
    'a:b',
    'a:b:c',
    ':',
    '::1',
    '*',
    '%',
    '_',
    '\\',
    '/',
    '../../etc/passwd',
    'deliver-1',
    'verify-1',
    'ringback:mark',
  ],
  ...["'; DROP TABLE deliveries; --", '$1', '$$', '\\x00', '%s%n', '{{payload.id}}', '{{constructor.name}}', '${7*7}'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '<script>alert(1)</script>', '&lt;', '"'],
  ...[
    '\u0000',
    'a\u0000b',
    '\u0001\u001f',
    '\r\n\r\n',
    '\u2028\u2029',
    '\ufeff',
    '\ufffe',
    '\u202eabc',
    '\ud800',
    '\udfff',
  ],
  ...[
    'Ω≈ç√∫',
    '社會科學院',
    'הָיְתָה',
    '👩‍👩‍👧‍👦',
    'İıŞş',
    'ﷺ',
    'Z͑ͫ̓ͪ̂ͫA̴̵̜̰͔ͫ͗͢L',
    ' ',
    '   ',
    '',
    'x'.repeat(255),
    'x'.repeat(256),
    'é'.repeat(300),
  ],
];

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const withId = (rest: string) => `{"id":"nested",${rest}}`;

/** Values that are pushed instead of the data of an event. */
export const naughtyData: readonly unknown[] = [
  ...[5, -0.5, 'text', '', true, false, null, [], [[]], {}, { payload: null }, { payload: 5 }, { payload: [] }],
  ...[{ payload: '{' }, { payload: '{"id":1}' }, { payload: '{"id":null}' }, { payload: 'null' }, { payload: '[]' }],
  ...[{ payload: withId(`"deep":${nested(60)}`) }, { payload: withId(`"deep":${nested(65)}`) }],
  ...[{ payload: withId(`"deep":${nested(100_000)}`) }, { payload: nested(100_000) }],
  ...[
    { account_id: 5, payload: { id: 'x' } },
    { account_id: 'nobody', payload: { id: 'x' } },
  ],
  ...[
    { webhook_id: [], payload: { id: 'x' } },
    { webhook_id: '00000000-0000-4000-8000-000000000000', payload: { id: 'x' } },
  ],
  ...[
    { identity: {}, payload: { id: 'x' } },
    { event_id: 7, payload: { id: 'x' } },
  ],
];

/** Job options that a platform may set. Ringback ignores all of them but `delay`, `lifo` and `jobId`. */
export const naughtyOptions: readonly object[] = [
  { attempts: 0 },
  { attempts: 50, backoff: { type: 'nonsense', delay: 1 } },
  { backoff: -1 },
  { delay: 300 },
  { priority: 7 },
  { lifo: true },
  { jobId: 'an-id-of-the-platform' },
  { removeOnComplete: false, removeOnFail: false },
  { stackTraceLimit: 1_000 },
];
