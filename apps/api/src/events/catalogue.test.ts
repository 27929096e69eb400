import { expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { eventCatalogue } from './catalogue.js';

test.each(eventCatalogue())('the sample of $event is as its schema says', ({ schema, sample }) => {
  const ajv = new Ajv2020({ strict: false });
  expect([ajv.validate(schema as object, sample), ajv.errors]).toEqual([true, null]);
});
