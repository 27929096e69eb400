import { expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { eventCatalogue } from './catalogue.js';

const judge = (schema: unknown, body: unknown) => {
  const ajv = new Ajv2020({ strict: false });
  return [ajv.validate(schema as object, body), ajv.errors];
};

test.each(eventCatalogue())('the example of $event matches its schema', ({ schema, sample }) => {
  expect(judge(schema, sample)).toEqual([true, null]);
});

test('a message may have an integer as its id', () => {
  const withInteger = (sample: object): object =>
    Object.fromEntries(
      Object.entries(sample).map(([name, value]: [string, unknown]) => [
        name,
        name === 'id' ? 17 : name === 'payload' ? withInteger(value as object) : value,
      ]),
    );
  const ofMessages = eventCatalogue().filter(({ event }) => event !== 'webhook:paused');
  for (const { event, schema, sample } of ofMessages) {
    const body = withInteger(sample as object);
    expect([event, JSON.stringify(body).includes('"id":17'), ...judge(schema, body)]).toEqual([
      event,
      true,
      true,
      null,
    ]);
  }
});
