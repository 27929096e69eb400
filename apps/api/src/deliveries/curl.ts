import type { SentRequest } from '@ringback/callbacks';

/** Quotes a text as one word for a POSIX shell. */
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The environment variable from which the command takes the token, because the token is not shown. */
export const tokenVariable = 'RINGBACK_TOKEN';

/** The curl command that repeats a request, for a POSIX shell. */
export function curlCommand({ url, headers, body }: SentRequest): string {
  // curl adds Content-Length and Host itself.
  const fields = Object.entries(headers ?? {}).filter(([name]) => name !== 'Content-Length');
  const headerOptions = fields.map(([name, value]) =>
    name === 'Authorization' ? `-H "Authorization: Bearer $${tokenVariable}"` : `-H ${quote(`${name}: ${value}`)}`,
  );
  // The host name must be in ASCII. `-g` makes curl take brackets literally.
  const target = hrefOf(url);
  return [`curl -g -X POST ${quote(target)}`, ...headerOptions, `--data-raw ${quote(body ?? '')}`].join(' \\\n  ');
}

function hrefOf(url: string): string {
  try {
    return new URL(url).href;
  } catch {
    return url;
  }
}
