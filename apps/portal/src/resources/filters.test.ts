import { expect, test } from '@jest/globals';
import {
  choiceFilter,
  choicesFilter,
  idFilter,
  numberFilter,
  parseFilters,
  textFilter,
  timeFilter,
} from './filters.js';

const parsers = {
  status: choicesFilter(['failed', 'skipped']),
  event: choiceFilter(['sms', 'rcs']),
  webhook: idFilter,
  code: numberFilter(100, 999),
  since: timeFilter,
  mobile: textFilter(20),
};
const parse = (query: string) => parseFilters(parsers, new URLSearchParams(query));

test('valid filters in the URL have values', () => {
  const id = '180ebbb5-9b6f-4c51-a98a-0123456789ab';
  const { values, problems } = parse(
    `status=failed,skipped&event=sms&webhook=${id}&code=500&since=2026-01-31&mobile=91&cursor=x&page=2`,
  );
  expect(problems).toEqual([]);
  expect(values).toEqual({
    status: ['failed', 'skipped'],
    event: 'sms',
    webhook: id,
    code: 500,
    since: '2026-01-31',
    mobile: '91',
  });
});

test.each([
  'status=failed,lost',
  'event=mms',
  'webhook=1',
  'code=99',
  'code=5e2',
  'since=yesterday',
  `mobile=${'9'.repeat(21)}`,
  'nothing=1',
  '__proto__=1',
  'toString=1',
])('an invalid filter, %s, is reported and not used', (query) => {
  const { values, problems } = parse(query);
  expect(values).toEqual({});
  expect(problems).toEqual([{ name: query.split('=')[0], problem: expect.stringMatching(/\.$/) }]);
});

test('an empty filter is no filter', () => {
  expect(parse('event=&status=')).toEqual({ values: {}, texts: {}, problems: [] });
});
