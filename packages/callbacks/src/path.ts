export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };

/**
 * The value at a path such as `payload.message.payload.text`, `a.0.b` or `a[0].b`: own properties only, so that nothing
 * of JavaScript's own can be reached. Undefined when there is none. `payload.mobile` of an RCS event, which has no such
 * field, is `payload.to`, or `payload.recipient.from` for inbound.
 */
export function lookup(scope: JsonObject, path: string): JsonValue | undefined {
  const found = walk(scope, path);
  if (found !== undefined || path !== 'payload.mobile') return found;
  return walk(scope, 'payload.to') ?? walk(scope, 'payload.recipient.from');
}

function walk(scope: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = scope;
  for (const step of path.replace(/\[(\d+)\]/g, '.$1').split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    if (Array.isArray(value) && !/^\d+$/.test(step)) return undefined;
    value = Array.isArray(value) ? value[Number(step)] : value[step];
  }
  return value;
}
