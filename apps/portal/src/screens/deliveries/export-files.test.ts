import { expect, test } from '@jest/globals';
import { toCell } from './export-files.js';

test.each([
  ['=1+1', "'=1+1"],
  ['+918921269000', "'+918921269000"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  [' =1', "' =1"],
  ['\t=1', "'\t=1"],
  ['=a,"b"', '"\'=a,""b"""'],
])('%j cannot become a formula', (text, cell) => {
  expect(toCell(text)).toBe(cell);
});

test.each([
  [null, ''],
  [0, '0'],
  ['order-1:1', 'order-1:1'],
  ['a,b', '"a,b"'],
  ['two\nlines', '"two\nlines"'],
])('%j is one cell', (value, cell) => {
  expect(toCell(value)).toBe(cell);
});
