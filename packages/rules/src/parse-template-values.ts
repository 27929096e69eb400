import { ExactNumber, type JsonObject, parseExactJson } from './exact-json.js';

/**
 * Parses a plain body into the object in which placeholders are looked up: the report for SMS, `{event, payload}` for
 * all other events. Returns `{}` if the body is not an object.
 */
export function parseTemplateValues(text: string): JsonObject {
  const value = parseExactJson(text);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && !(value instanceof ExactNumber) ? value : {};
}
