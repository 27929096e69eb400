import { expect, test } from '@jest/globals';
import type { Delivery } from '../../api/schemas.js';
import { exportFile, toCell } from './export-files.js';

test.each([
  ['=1+1', "'=1+1"],
  ['+918921269000', "'+918921269000"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  [' =1', "' =1"],
  ['\t=1', "'\t=1"],
  ['=a,"b"', '"\'=a,""b"""'],
])('the cell of %j cannot become a formula', (text, cell) => {
  expect(toCell(text)).toBe(cell);
});

test.each([
  [null, ''],
  [0, '0'],
  ['order-1:1', 'order-1:1'],
  ['a,b', '"a,b"'],
  ['two\nlines', '"two\nlines"'],
])('the value %j is one cell', (value, cell) => {
  expect(toCell(value)).toBe(cell);
});

test('a CSV file has one line of names and one line for each delivery', async () => {
  const row = { id: 'd-1', state: 'failed', mobile: '+491700000001', attempt_count: 3, error: null } as Delivery;
  const [names = '', values = '', end, ...rest] = (await exportFile([row], 'csv').text()).split('\r\n');
  const byName = Object.fromEntries(names.split(',').map((name, index) => [name, values.split(',')[index]]));
  expect(byName).toMatchObject({ id: 'd-1', state: 'failed', mobile: "'+491700000001", attempt_count: '3', error: '' });
  expect([end, rest]).toEqual(['', []]);
});
