import { expect, test } from '@jest/globals';
import fs from 'fs';
import { clientTypes, generateClientTypes } from './client-types.mjs';

test('the types of packages/client are up to date (otherwise run node scripts/client-types.mjs)', async () => {
  expect(fs.readFileSync(clientTypes, 'utf8')).toBe(await generateClientTypes());
});
