import type { IncomingHttpHeaders } from 'node:http';

const maxHeaders = 32;
const maxCharacters = 2_048;

/**
 * The first headers of a response: at most 32, with at most 2,048 characters of names and values. The last value may be
 * truncated.
 */
export function keepHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  let charactersLeft = maxCharacters;
  const kept: [string, string][] = [];
  for (const [name, value = ''] of Object.entries(headers).slice(0, maxHeaders)) {
    const text = (Array.isArray(value) ? value.join(', ') : value).slice(0, Math.max(0, charactersLeft - name.length));
    charactersLeft -= name.length + text.length;
    if (charactersLeft < 0) break;
    kept.push([name, text]);
  }
  return Object.fromEntries(kept);
}
