import { describe, expect, test } from '@jest/globals';
import { numberedPageFields, pageWindow } from './pages.js';

const all = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
const gap = null;
const start = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, gap];

// Fourteen pages are the fewest with gaps. Pages 1 to 7 have the links of the start, pages 8 to 14 those of the end.
const end14 = [1, 2, gap, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14];
const fourteen = [...all(7).map(() => [...start, 13, 14]), ...all(7).map(() => end14)];

// Of 20 pages, pages 8 to 13 have links to three pages on either side.
const end20 = [1, 2, gap, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20];
const middle20 = [
  [1, 2, gap, 5, 6, 7, 8, 9, 10, 11, gap, 19, 20],
  [1, 2, gap, 6, 7, 8, 9, 10, 11, 12, gap, 19, 20],
  [1, 2, gap, 7, 8, 9, 10, 11, 12, 13, gap, 19, 20],
  [1, 2, gap, 8, 9, 10, 11, 12, 13, 14, gap, 19, 20],
  [1, 2, gap, 9, 10, 11, 12, 13, 14, 15, gap, 19, 20],
  [1, 2, gap, 10, 11, 12, 13, 14, 15, 16, gap, 19, 20],
];
const twenty = [...all(7).map(() => [...start, 19, 20]), ...middle20, ...all(7).map(() => end20)];

const table: [number, (number | null)[][]][] = [
  [1, [[1]]],
  [2, [all(2), all(2)]],
  [13, all(13).map(() => all(13))],
  [14, fourteen],
  [20, twenty],
];
const rows = table.flatMap(([last, windows]) => windows.map((window, index) => [index + 1, last, window] as const));

describe('the window of page links', () => {
  test.each(rows)('of page %i of %i is %j', (current, last, window) => {
    expect(pageWindow(current, last)).toEqual(window);
  });

  test.each([
    [15, [1, 2, gap, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]],
    [500, [1, 2, gap, 491, 492, 493, 494, 495, 496, 497, 498, 499, 500]],
  ])('of a page past the end of %i pages is that of the end', (last, window) => {
    expect(pageWindow(last + 1, last)).toEqual(window);
    expect(pageWindow(1_000_000, last)).toEqual(window);
  });

  test('of a page past the end of few pages is all of them', () => {
    expect(pageWindow(9, 3)).toEqual([1, 2, 3]);
  });
});

describe('links and meta', () => {
  const path = 'https://api.test/list';

  test('of the middle page of three', () => {
    const page = numberedPageFields(path, [['filter[name]', 'a b&c=d,é']], { page: 2, perPage: 2, total: 5, count: 2 });
    const url = (number: number) => `${path}?filter%5Bname%5D=a%20b%26c%3Dd%2C%C3%A9&page=${number}`;
    expect(page).toEqual({
      links: { first: url(1), last: url(3), prev: url(1), next: url(3) },
      meta: {
        current_page: 2,
        from: 3,
        last_page: 3,
        links: [
          { url: url(1), label: '&laquo; Previous', active: false },
          { url: url(1), label: '1', active: false },
          { url: url(2), label: '2', active: true },
          { url: url(3), label: '3', active: false },
          { url: url(3), label: 'Next &raquo;', active: false },
        ],
        path,
        per_page: 2,
        to: 4,
        total: 5,
      },
    });
  });

  test('of an empty list are one page from null to null', () => {
    expect(numberedPageFields(path, [], { page: 1, perPage: 15, total: 0, count: 0 })).toEqual({
      links: { first: `${path}?page=1`, last: `${path}?page=1`, prev: null, next: null },
      meta: {
        current_page: 1,
        from: null,
        last_page: 1,
        links: [
          { url: null, label: '&laquo; Previous', active: false },
          { url: `${path}?page=1`, label: '1', active: true },
          { url: null, label: 'Next &raquo;', active: false },
        ],
        path,
        per_page: 15,
        to: null,
        total: 0,
      },
    });
  });

  test('show a gap as three dots without a url', () => {
    const { meta } = numberedPageFields(path, [], { page: 10, perPage: 1, total: 20, count: 1 });
    expect(meta.links.map(({ label }) => label)).toEqual([
      ...[
        '&laquo; Previous',
        '1',
        '2',
        '...',
        '7',
        '8',
        '9',
        '10',
        '11',
        '12',
        '13',
        '...',
        '19',
        '20',
        'Next &raquo;',
      ],
    ]);
    expect(meta.links.filter(({ label }) => label === '...')).toEqual([
      { url: null, label: '...', active: false },
      { url: null, label: '...', active: false },
    ]);
  });

  test('of an exact number of full pages have no empty page after them', () => {
    const { links, meta } = numberedPageFields(path, [], { page: 2, perPage: 15, total: 30, count: 15 });
    expect(meta).toMatchObject({ from: 16, to: 30, last_page: 2, total: 30 });
    expect(links.next).toBeNull();
  });
});
