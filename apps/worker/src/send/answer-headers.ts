import type { IncomingHttpHeaders } from 'node:http';

const mostHeaders = 32;
const mostCharacters = 2_048;

/** The first headers of a response: 32 and 2 KiB of names and values at most; a value that goes beyond is cut. */
export function keepHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  let room = mostCharacters;
  const kept: [string, string][] = [];
  for (const [name, value = ''] of Object.entries(headers).slice(0, mostHeaders)) {
    const text = (Array.isArray(value) ? value.join(', ') : value).slice(0, Math.max(0, room - name.length));
    room -= name.length + text.length;
    if (room < 0) break;
    kept.push([name, text]);
  }
  return Object.fromEntries(kept);
}
