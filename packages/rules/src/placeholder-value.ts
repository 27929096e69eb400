import { type JsonObject, ExactNumber, type JsonValue } from './exact-json.js';

const statusMobile = 'payload.to';
const inboundMobile = 'payload.recipient.from';

/**
 * The value at a path such as `payload.message.payload.text`, `a.0.b` or `a[0].b`; undefined when there is none. It
 * reads own properties only, so a path cannot reach JavaScript's prototypes. RCS events have no `payload.mobile`; in
 * them it is an alias of `payload.to`, or of `payload.recipient.from` in an inbound event.
 */
export function placeholderValue(values: JsonObject, path: string): JsonValue | undefined {
  const found = readPath(values, path);
  if (found !== undefined || path !== 'payload.mobile') return found;
  const isInbound = values.event === 'rcs:message:in';
  const [first, second] = isInbound ? [inboundMobile, statusMobile] : [statusMobile, inboundMobile];
  return readPath(values, first) ?? readPath(values, second);
}

function readPath(values: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = values;
  for (const step of path.replace(/\[(\d+)\]/g, '.$1').split('.')) {
    if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return undefined;
    if (!Object.hasOwn(value, step)) return undefined;
    if (Array.isArray(value) && !/^\d+$/.test(step)) return undefined;
    value = Array.isArray(value) ? value[Number(step)] : value[step];
  }
  return value;
}
