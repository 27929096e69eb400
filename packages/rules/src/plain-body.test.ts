import { expect, test } from '@jest/globals';
import { plainBody } from './plain-body.js';

test('the plain body is the flat report for SMS and {event, payload} for RCS', () => {
  expect(plainBody('sms:message:status', '{"id":1}')).toBe('{"id":1}');
  expect(plainBody('rcs:message:in', '{ "id":1}')).toBe('{"event":"rcs:message:in","payload":{ "id":1}}');
});
