import { type SentRequest, withoutMask } from '@ringback/rules';

/** Quotes a text as one word for a POSIX shell. */
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * The environment variables from which the command takes the token, or `user:password`, because the stored request has
 * only a mask.
 */
const tokenVariable = 'WEBHOOK_TOKEN';
const passwordVariable = 'WEBHOOK_USER_PASSWORD';

function authorizationOption(masked: string): string {
  return masked.startsWith('Basic ') ? `-u "$${passwordVariable}"` : `-H "Authorization: Bearer $${tokenVariable}"`;
}

/**
 * The curl command that repeats a request, for a POSIX shell. The Bearer token comes from `WEBHOOK_TOKEN`, a user and
 * password from `WEBHOOK_USER_PASSWORD`.
 */
export function curlCommand({ url, headers, body }: SentRequest): string {
  // curl adds Content-Length itself.
  const shownHeaders = Object.entries(headers ?? {}).filter(([name]) => name !== 'Content-Length');
  const headerOptions = shownHeaders.map(([name, value]) =>
    name === 'Authorization' ? authorizationOption(value) : `-H ${quote(`${name}: ${value}`)}`,
  );
  // `-g` makes curl take brackets literally.
  return [`curl -g -X POST ${quote(withoutMask(url))}`, ...headerOptions, `--data-raw ${quote(body ?? '')}`].join(
    ' \\\n  ',
  );
}
