import { expect, test } from '@jest/globals';
import { maxDataBytes, readEventData, UnreadableData } from './worker-connection.js';

const withSize = (bytes: number, character = 'x') =>
  `{"payload":"${character.repeat((bytes - 14) / Buffer.byteLength(character))}"}`;

test.each(['x', 'ü'])(
  'data of the maximum size is read, and larger data keeps its first 1,000 characters',
  (character) => {
    expect(readEventData(withSize(maxDataBytes, character))).toMatchObject({ payload: expect.any(String) });
    const tooLarge = withSize(maxDataBytes + 2, character);
    expect(Buffer.byteLength(tooLarge)).toBe(maxDataBytes + 2);
    expect(readEventData(tooLarge)).toEqual(
      new UnreadableData(
        tooLarge.slice(0, 1_000),
        'the data of the job has 16777218 bytes, and at most 16777216 are taken',
      ),
    );
  },
);
