// A scheme, a host and a port. Paths, wildcards and any characters with a meaning in a Content-Security-Policy do not
// match.
const originForm = /^https?:\/\/([a-z0-9.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i;

/**
 * Parses origins that are separated by commas or spaces. Throws an Error that names the first text that is not an
 * origin, unless a password may be in it.
 */
export function parseOrigins(text: string): string[] {
  if (text.includes('@'))
    throw new Error('must not have a user name or password; an origin looks like https://example.com');
  const parts = text.split(/[\s,]+/).filter((part) => part !== '');
  return [...new Set(parts.map(parseOrigin))];
}

function parseOrigin(text: string): string {
  try {
    if (originForm.test(text)) return new URL(text).origin;
  } catch {
    // The URL is invalid, for example because its port is too large.
  }
  throw new Error(`has "${text}", which is not an origin such as https://example.com`);
}
