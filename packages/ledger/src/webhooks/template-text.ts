import { stringifyExactJson, type JsonObject, ExactNumber, parseExactJson } from '@ringback/rules';

/** The JSON text to store for a template. */
export const templateText = (template: JsonObject | null): string | null => template && stringifyExactJson(template);

/** Parses a stored template; null if it is not an object. Its numbers keep the digits that the customer wrote. */
export function readTemplate(text: string | null): JsonObject | null {
  const template = text === null ? null : parseExactJson(text);
  const isObject = typeof template === 'object' && template !== null && !Array.isArray(template);
  return isObject && !(template instanceof ExactNumber) ? template : null;
}
