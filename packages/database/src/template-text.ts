import { stringifyExactJson, type JsonObject, JsonNumber, parseExactJson } from '@ringback/callbacks';

/** What to store of a template that was checked. */
export const templateText = (template: JsonObject | null): string | null => template && stringifyExactJson(template);

/** The template behind a stored text, its numbers as they came. */
export function readTemplate(text: string | null): JsonObject | null {
  const template = text === null ? null : parseExactJson(text);
  const isObject = typeof template === 'object' && template !== null && !Array.isArray(template);
  return isObject && !(template instanceof JsonNumber) ? template : null;
}
