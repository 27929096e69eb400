import { expect, test } from '@jest/globals';
import fs from 'fs';
import { clientTypes, describeClientTypes } from './client-types.mjs';

test('the types of packages/client are those of the document: else run node scripts/client-types.mjs', async () => {
  expect(fs.readFileSync(clientTypes, 'utf8')).toBe(await describeClientTypes());
});
