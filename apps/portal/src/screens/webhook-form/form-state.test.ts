import { expect, test } from '@jest/globals';
import { newForm, requestBody, templateProblem } from './form-state.js';

const form = { ...newForm, name: 'a', uri: ' https://example.com/ ' };

test('a new webhook has the fields of the form', () => {
  expect(JSON.parse(requestBody({ ...form, rateLimit: '5', token: 't' }, { isNew: true }))).toEqual({
    name: 'a',
    uri: 'https://example.com/',
    status: 1,
    secret: '',
    signing: true,
    rate_limit: 5,
    token: 't',
    payload: null,
  });
});

test('an edit sends the template with its numbers as they are written', () => {
  const body = requestBody({ ...form, hasTemplate: true, template: '{"a": 2.0000}' }, { isNew: false });
  expect(body).toContain('"payload":{"a": 2.0000}');
  expect(JSON.parse(body)).not.toHaveProperty('token');
});

test.each(['0x10', '1.5', 'many'])('the limit %j, which is not a whole number, is sent as it is', (rateLimit) => {
  expect(JSON.parse(requestBody({ ...form, rateLimit }, { isNew: false })).rate_limit).toBe(rateLimit);
});

test('a template that is not JSON is a problem only while it is used', () => {
  expect(templateProblem({ ...form, hasTemplate: true, template: '{' })).toMatch(/JSON/);
  expect(templateProblem({ ...form, template: '{' })).toBeUndefined();
});
