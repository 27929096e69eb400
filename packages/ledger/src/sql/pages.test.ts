import { expect, test } from '@jest/globals';
import { cutPage } from './pages.js';

const rows = (...ids: string[]) => ids.map((id) => ({ id }));
const older = (id: string) => ({ id, towardsOlder: true });
const newer = (id: string) => ({ id, towardsOlder: false });

test('a page that a search ended early continues where the search ended', () => {
  const page = cutPage(rows('9', '7'), { cursor: older('a'), perPage: 3 }, '5');
  expect(page).toEqual({ rows: rows('9', '7'), older: older('5'), newer: newer('9') });
  expect(cutPage([], { cursor: null, perPage: 3 }, '5')).toEqual({ rows: [], older: older('5'), newer: null });
});

test('no row is on two pages if deliveries were stored while the newest page was searched', () => {
  // The search for the rows ended at 2, and the one for its end, which found new rows, already at 6.
  expect(cutPage(rows('9', '3'), { cursor: null, perPage: 3 }, '6').older).toEqual(older('3'));
});

test('a full page continues after its last row, in both directions', () => {
  const newest = { cursor: null, perPage: 2 };
  expect(cutPage(rows('9', '8', '7'), newest)).toEqual({ rows: rows('9', '8'), older: older('8'), newer: null });
  const back = cutPage(rows('3', '4', '5'), { cursor: newer('2'), perPage: 2 });
  expect(back).toEqual({ rows: rows('4', '3'), older: older('3'), newer: newer('4') });
});
