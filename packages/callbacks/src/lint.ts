import { type JsonObject, type JsonValue, lookup } from './path.js';
import { placeholdersIn } from './template.js';

export type Templates = { uri: string; template: JsonObject | null };

/** What an event leaves open in templates: placeholders that are unknown, null or empty, each named once. */
export function lintTemplates(templates: Templates, scope: JsonObject): string[] {
  return placeholdersOf(templates).flatMap((path) => {
    const found = lookup(scope, path);
    if (found === undefined) return `{{${path}}} is unknown`;
    if (found === null) return `{{${path}}} is null`;
    return found === '' ? `{{${path}}} is empty` : [];
  });
}

/** The placeholders of templates that none of the events has, in the same words. */
export const unknownPlaceholders = (templates: Templates, scopes: JsonObject[]): string[] =>
  placeholdersOf(templates)
    .filter((path) => scopes.every((scope) => lookup(scope, path) === undefined))
    .map((path) => `{{${path}}} is unknown`);

/** The paths of all placeholders of templates, each once. */
export const placeholdersOf = ({ uri, template }: Templates) => [
  ...new Set([uri, ...leavesOf(template)].flatMap(placeholdersIn)),
];

function leavesOf(node: JsonValue): string[] {
  if (typeof node === 'string') return [node];
  return typeof node === 'object' && node !== null ? Object.values(node).flatMap(leavesOf) : [];
}
