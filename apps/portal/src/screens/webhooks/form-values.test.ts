import { expect, test } from '@jest/globals';
import { changedFields, creationBody, editBody, keepEdits, newForm, templateProblem } from './form-values.js';

const form = { ...newForm, name: 'a', uri: ' https://example.com/ ' };

test('a new webhook has the fields of the form', () => {
  expect(JSON.parse(creationBody({ ...form, rateLimit: '5', token: 't' }))).toEqual({
    name: 'a',
    uri: 'https://example.com/',
    status: 1,
    secret: '',
    signing: true,
    rate_limit: 5,
    tls: null,
    token: 't',
    payload: null,
  });
});

test('an edit sends the template with its numbers as they are written', () => {
  const body = editBody(form, { ...form, hasTemplate: true, template: '{"a": 2.0000}' });
  expect(body).toBe('{"payload":{"a": 2.0000}}');
});

test.each(['0x10', '1.5', 'many'])('the limit %j, which is not a whole number, is sent as it is', (rateLimit) => {
  expect(JSON.parse(editBody(form, { ...form, rateLimit })).rate_limit).toBe(rateLimit);
});

test('a CA certificate is sent within tls, and null when it is empty', () => {
  expect(editBody(form, { ...form, tlsCa: 'pem' })).toBe('{"tls":{"ca":"pem"}}');
  expect(editBody({ ...form, tlsCa: 'pem' }, { ...form, tlsCa: ' ' })).toBe('{"tls":null}');
});

test('a template that is not JSON is a problem only while it is used', () => {
  expect(templateProblem({ ...form, hasTemplate: true, template: '{' })).toMatch(/JSON/);
  expect(templateProblem({ ...form, template: '{' })).toBeUndefined();
});

test('an edit sends only the fields that the user changed', () => {
  expect(editBody(form, form)).toBe('{}');
  expect(editBody(form, { ...form, name: 'b' })).toBe('{"name":"b"}');
  const cleared = { ...form, secret: '', rateLimit: ' ', isActive: false, isSigned: false };
  expect(JSON.parse(editBody({ ...form, secret: 's', rateLimit: '5' }, cleared))).toEqual({
    secret: '',
    rate_limit: null,
    status: 0,
    signing: false,
  });
});

test('the changes of others are taken over, and the edits of the user are kept', () => {
  const newest = { ...form, uri: 'https://example.org/', secret: 'other', hasTemplate: true, template: '{"a":1}' };
  expect(changedFields(form, newest)).toEqual(['uri', 'payload', 'secret']);
  expect(keepEdits(form, { ...form, name: 'mine' }, newest)).toEqual({ ...newest, name: 'mine' });
  const edited = { ...form, secret: 'mine', hasTemplate: true, template: '{"b":2}' };
  const kept = keepEdits(form, edited, newest);
  expect(kept).toEqual({ ...edited, uri: newest.uri });
  expect(editBody(newest, kept)).toBe('{"payload":{"b":2},"secret":"mine"}');
});
