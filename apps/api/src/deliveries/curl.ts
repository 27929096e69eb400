import type { SentRequest } from '@ringback/callbacks';

/** A text as one word of a POSIX shell, whatever it holds. */
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Where the token goes that is not shown. */
export const tokenVariable = 'RINGBACK_TOKEN';

/**
 * A request as a curl command for a POSIX shell. The token is taken from the environment variable `RINGBACK_TOKEN`. curl
 * writes Content-Length and Host itself.
 */
export function curlCommand({ url, headers, body }: SentRequest): string {
  const fields = Object.entries(headers ?? {}).filter(([name]) => name !== 'Content-Length');
  const words = fields.map(([name, value]) =>
    name === 'Authorization' ? `-H "Authorization: Bearer $${tokenVariable}"` : `-H ${quote(`${name}: ${value}`)}`,
  );
  // As it went over the wire: a name in Unicode is in ASCII there. `-g`: brackets in it mean themselves.
  const target = hrefOf(url);
  return [`curl -g -X POST ${quote(target)}`, ...words, `--data-raw ${quote(body ?? '')}`].join(' \\\n  ');
}

function hrefOf(url: string): string {
  try {
    return new URL(url).href;
  } catch {
    return url;
  }
}
