export type HttpProxy = { host: string; port: number; headers: Record<string, string> };

/** Parses `EGRESS_PROXY`: `http://[user:password@]host:port`. Throws an Error that does not repeat the value. */
export function parseProxyUrl(text: string): HttpProxy {
  const url = parseUrl(text);
  const credentials = url && credentialsOf(url);
  if (
    url?.protocol !== 'http:' ||
    url.pathname !== '/' ||
    url.search !== '' ||
    url.hash !== '' ||
    credentials === null
  ) {
    throw new Error('must be the URL of a proxy, such as http://proxy.example:3128');
  }
  const { hostname, port } = url;
  const headers: Record<string, string> = credentials ? { 'Proxy-Authorization': `Basic ${credentials}` } : {};
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80), headers };
}

/** The credentials for HTTP Basic authentication: empty if there are none, null if they are malformed. */
function credentialsOf({ username, password }: URL): string | null {
  try {
    const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return text === ':' ? '' : Buffer.from(text).toString('base64');
  } catch {
    return null;
  }
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
