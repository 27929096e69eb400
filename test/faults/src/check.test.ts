import { expect, test } from '@jest/globals';
import { type Call, check, type LedgerDelivery } from './check.js';

const count = 250;
const call = (index: number, changes: Partial<Call> = {}): Call => ({
  delivery: `d${index}`,
  attempt: 1,
  message: `m${index}`,
  at: index,
  path: '/',
  authorization: '',
  status: 200,
  ...changes,
});
const row = (index: number, changes: Partial<LedgerDelivery> = {}): LedgerDelivery => ({
  id: `d${index}`,
  message: `m${index}`,
  channel: 'sms',
  state: 'delivered',
  reason: null,
  attempts: 1,
  recorded: [1],
  unanswered: [],
  ...changes,
});
const all = <T>(make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
const evidence = {
  acknowledged: all((index) => `m${index}`),
  calls: all((index) => call(index)),
  deliveries: all((index) => row(index)),
  maxAttempts: { sms: 4, rcs: 3 },
};

test('events that were acknowledged, called and recorded once are delivered', () => {
  const expected = { events: count, delivered: count, finishedWithoutSuccess: 0, lost: 0, duplicates: 0, problems: [] };
  expect(check(evidence)).toEqual(expected);
});

test('deliveries without a call in the record of the receiver are lost', () => {
  const { lost, problems } = check({ ...evidence, calls: evidence.calls.filter((_, index) => index % 100 !== 99) });
  expect(lost).toBe(2);
  expect(problems).toContain('m99 is delivered in the ledger, and no call of it succeeded');
});

test('an attempt that came before its wait was over is a problem', () => {
  const waitMs = (channel: string, attempts: number) => (channel === 'sms' ? 1_800 : 10 ** attempts * 10);
  const calls = (...times: number[]) => times.map((at, index) => call(0, { attempt: index + 1, at, status: 500 }));
  const problemsOf = (times: number[], channel: 'sms' | 'rcs', unanswered: number[] = []) => {
    const rows = [row(0, { channel, recorded: times.map((_, index) => index + 1), unanswered })];
    return check({ ...evidence, acknowledged: [], calls: calls(...times), deliveries: rows, waitMs }).problems;
  };
  expect(problemsOf([0, 1_799, 3_600], 'sms')).toEqual([]);
  expect(problemsOf([0, 1_800, 3_590], 'sms')).toEqual(['attempt 3 of d0 came after 1790 ms instead of 1800 ms']);
  expect(problemsOf([0, 100, 1_100], 'rcs')).toEqual([]);
  expect(problemsOf([0, 90, 1_000], 'rcs')).toHaveLength(2);
  expect(problemsOf([0, 90, 1_000], 'rcs', [1])).toHaveLength(1);
});

test('a delivery may be failed if the receiver responded only after the timeout', () => {
  const tooLate = row(0, { state: 'failed', unanswered: [1] });
  const findings = check({ ...evidence, acknowledged: ['m0'], calls: [call(0)], deliveries: [tooLate] });
  expect(findings).toMatchObject({ delivered: 1, lost: 0, problems: [] });
});

test('neither excluded events nor their calls are checked', () => {
  const calls = [
    call(0, { status: 500 }),
    call(0, { attempt: 2, at: 10 }),
    call(0),
    call(1),
    call(2, { delivery: 'x' }),
  ];
  const changed = { ...evidence, acknowledged: ['m0', 'm1'], calls, deliveries: [row(0), row(1)], waitMs: () => 1_800 };
  const excludedMessageIds = new Set(['m0', 'm2']);
  expect(check(changed).problems).toHaveLength(3);
  expect(check({ ...changed, excludedMessageIds })).toMatchObject({
    events: 1,
    delivered: 1,
    duplicates: 0,
    problems: [],
  });
});

const failed = { state: 'failed', attempts: 4, recorded: [1, 2, 3, 4] } as const;

test.each<[string, { call?: Partial<Call>; row?: Partial<LedgerDelivery> }, number]>([
  ['pending', { row: { state: 'pending' } }, 1],
  ['failed before its last attempt', { row: { ...failed, attempts: 3, recorded: [1, 2, 3] } }, 1],
  ['failed with an attempt that is not recorded', { row: { ...failed, recorded: [1, 2, 4] } }, 1],
  ['skipped without a reason', { row: { state: 'skipped' } }, 1],
  ['failed after its last attempt', { row: failed }, 0],
  ['skipped with a reason', { row: { state: 'skipped', reason: 'webhook is inactive' } }, 0],
])('an event without a successful call whose delivery is %s: %i lost', (_, { row: changes }, lost) => {
  const calls = [call(0, { status: 500 })];
  expect(check({ ...evidence, acknowledged: ['m0'], calls, deliveries: [row(0, changes)] }).lost).toBe(lost);
});

type Case = { title: string; calls: Call[]; rows: LedgerDelivery[]; duplicates?: number; problem?: RegExp };
const secondCall = call(0, { attempt: 2 });
const cases: Case[] = [
  { title: 'an attempt that was called twice', calls: [call(0), call(0)], rows: [row(0)], duplicates: 1 },
  {
    title: 'an attempt that is not recorded',
    calls: [call(0), secondCall],
    rows: [row(0)],
    problem: /attempt 2 of d0 is not recorded/,
  },
  {
    title: 'a call after a success',
    calls: [call(0), secondCall],
    rows: [row(0, { recorded: [1, 2] })],
    problem: /again after its success/,
  },
  {
    title: 'a delivery that is not in the ledger',
    calls: [call(0), call(0, { delivery: 'x' })],
    rows: [row(0)],
    problem: /a call of the delivery x/,
  },
  {
    title: 'a second delivery of an event',
    calls: [call(0)],
    rows: [row(0), row(0, { id: 'd1' })],
    problem: /has 2 deliveries/,
  },
  {
    title: 'a failed delivery with a successful call',
    calls: [call(0)],
    rows: [row(0, failed)],
    problem: /a call of m0 succeeded, and it is failed/,
  },
  {
    title: 'a delivered delivery whose only success came too late',
    calls: [call(0)],
    rows: [row(0, { unanswered: [1] })],
    problem: /m0 is delivered in the ledger, and no call of it succeeded/,
  },
];

test.each(cases)('$title is found', ({ calls, rows, duplicates = 0, problem = /^$/ }) => {
  const findings = check({ ...evidence, acknowledged: ['m0'], calls, deliveries: rows });
  expect(findings).toMatchObject({ events: 1, delivered: 1, lost: 0, duplicates });
  expect(findings.problems.join('\n')).toMatch(problem);
});
