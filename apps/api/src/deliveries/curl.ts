import type { SentRequest } from '@ringback/callbacks';

/** Quotes any text as one word of a POSIX shell. */
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The environment variable for the token, which is not shown. */
export const tokenVariable = 'RINGBACK_TOKEN';

/** The curl command of a request, for a POSIX shell. The token comes from the environment variable `RINGBACK_TOKEN`. */
export function curlCommand({ url, headers, body }: SentRequest): string {
  // curl adds Content-Length and Host itself.
  const fields = Object.entries(headers ?? {}).filter(([name]) => name !== 'Content-Length');
  const headerOptions = fields.map(([name, value]) =>
    name === 'Authorization' ? `-H "Authorization: Bearer $${tokenVariable}"` : `-H ${quote(`${name}: ${value}`)}`,
  );
  // The URL with its host name in ASCII. `-g` makes curl take brackets literally.
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
