import { memberTexts } from './scan-json.js';

/**
 * Replaces the payload of an event by its JSON text if JSON.stringify would write it differently, such as with other
 * digits of a large number. `text` is the JSON text that `data` was parsed from.
 */
export function withExactPayload(data: unknown, text: string): unknown {
  if (typeof data !== 'object' || data === null || Array.isArray(data) || !('payload' in data)) return data;
  if (typeof data.payload !== 'object' || isExact(data.payload, text)) return data;
  const [source] = memberTexts(text, 'payload');
  return source === undefined ? data : { ...data, payload: source };
}

function isExact(payload: unknown, text: string): boolean {
  try {
    return text.includes(JSON.stringify(payload));
  } catch {
    // It is nested too deeply for JSON.stringify.
    return false;
  }
}
