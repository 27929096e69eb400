import { expect, test } from '@jest/globals';
import type { Job, JobJson } from 'bullmq';
import { maxDataBytes } from '../bullmq-patches/fetch-scripts.js';
import { readEventJob } from './event-job.js';
import { UnreadableData } from './unreadable-data.js';

/** Reads a job with this data, as a worker on PostgreSQL does. */
const read = (data: string): unknown => {
  const json = { id: '1', name: 'sms:message:status', data, timestamp: 0 } as JobJson;
  return readEventJob(json, ({ data: text }) => ({ data: JSON.parse(text) as unknown }) as Job).data;
};
const withSize = (bytes: number, character = 'x') =>
  `{"payload":"${character.repeat((bytes - 14) / Buffer.byteLength(character))}"}`;

test.each(['x', 'ü'])(
  'data of the maximum size is read, and larger data keeps its first 1,000 characters',
  (character) => {
    expect(read(withSize(maxDataBytes, character))).toMatchObject({ payload: expect.any(String) });
    const tooLarge = withSize(maxDataBytes + 2, character);
    expect(Buffer.byteLength(tooLarge)).toBe(maxDataBytes + 2);
    expect(read(tooLarge)).toEqual(
      new UnreadableData(
        tooLarge.slice(0, 1_000),
        'the data of the job has 16777218 bytes, and at most 16777216 are taken',
      ),
    );
  },
);
