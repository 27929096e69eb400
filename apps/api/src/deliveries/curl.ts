import type { SentRequest } from '@ringback/rules';

/** Quotes a text as one word for a POSIX shell. */
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The environment variable from which the command takes the token, because the stored request has only a mask. */
const tokenVariable = 'RINGBACK_TOKEN';

/** The curl command that repeats a request, for a POSIX shell. The Bearer token comes from `RINGBACK_TOKEN`. */
export function curlCommand({ url, headers, body }: SentRequest): string {
  // curl adds Content-Length itself.
  const shownHeaders = Object.entries(headers ?? {}).filter(([name]) => name !== 'Content-Length');
  const headerOptions = shownHeaders.map(([name, value]) =>
    name === 'Authorization' ? `-H "Authorization: Bearer $${tokenVariable}"` : `-H ${quote(`${name}: ${value}`)}`,
  );
  // `-g` makes curl take brackets literally.
  return [`curl -g -X POST ${quote(url)}`, ...headerOptions, `--data-raw ${quote(body ?? '')}`].join(' \\\n  ');
}
