import { JsonNumber } from './exact-json.js';

export type JsonValue = string | number | JsonNumber | boolean | null | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };

const addressee = 'payload.to';
const sender = 'payload.recipient.from';

/**
 * The value at a path such as `payload.message.payload.text`, `a.0.b` or `a[0].b`: own properties only, so that nothing
 * of JavaScript's own can be reached. Undefined when there is none. `payload.mobile` of an RCS event, which has no such
 * field, is `payload.to`, or `payload.recipient.from` for inbound.
 */
export function lookup(scope: JsonObject, path: string): JsonValue | undefined {
  const found = walk(scope, path);
  if (found !== undefined || path !== 'payload.mobile') return found;
  const [first, second] = scope.event === 'rcs:message:in' ? [sender, addressee] : [addressee, sender];
  return walk(scope, first) ?? walk(scope, second);
}

function walk(scope: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = scope;
  for (const step of path.replace(/\[(\d+)\]/g, '.$1').split('.')) {
    if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return undefined;
    if (!Object.hasOwn(value, step)) return undefined;
    if (Array.isArray(value) && !/^\d+$/.test(step)) return undefined;
    value = Array.isArray(value) ? value[Number(step)] : value[step];
  }
  return value;
}
