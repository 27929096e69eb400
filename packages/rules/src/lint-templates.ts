import type { JsonObject, JsonValue } from './exact-json.js';
import { placeholderValue } from './placeholder-value.js';
import { placeholdersIn } from './template.js';

export type Templates = { uri: string; bodyTemplate: JsonObject | null };

/** One warning for each placeholder that is unknown, null or empty in one event. */
export function lintTemplates(templates: Templates, values: JsonObject): string[] {
  return placeholdersOf(templates).flatMap((path) => {
    const found = placeholderValue(values, path);
    if (found === undefined) return `{{${path}}} is unknown`;
    if (found === null) return `{{${path}}} is null`;
    return found === '' ? `{{${path}}} is empty` : [];
  });
}

/** One warning for each placeholder that none of the events has. */
export const unknownPlaceholders = (templates: Templates, samples: JsonObject[]): string[] =>
  placeholdersOf(templates)
    .filter((path) => samples.every((values) => placeholderValue(values, path) === undefined))
    .map((path) => `{{${path}}} is unknown`);

/** The distinct paths of all placeholders of the templates. */
export const placeholdersOf = ({ uri, bodyTemplate }: Templates) => [
  ...new Set([uri, ...stringsIn(bodyTemplate)].flatMap(placeholdersIn)),
];

function stringsIn(node: JsonValue): string[] {
  if (typeof node === 'string') return [node];
  return typeof node === 'object' && node !== null ? Object.values(node).flatMap(stringsIn) : [];
}
