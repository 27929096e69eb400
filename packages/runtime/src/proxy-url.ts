export type Proxy = { host: string; port: number; headers: Record<string, string> };

/** Reads `EGRESS_PROXY`: `http://[user:password@]host:port`. Throws an Error, without what it holds, when it is not that. */
export function parseProxyUrl(text: string): Proxy {
  const url = parseUrl(text);
  const credentials = url && credentialsOf(url);
  if (
    url?.protocol !== 'http:' ||
    url.pathname !== '/' ||
    url.search !== '' ||
    url.hash !== '' ||
    credentials === null
  ) {
    throw new Error('is no address of a proxy such as http://proxy.example:3128');
  }
  const { hostname, port } = url;
  const headers: Record<string, string> = credentials ? { 'Proxy-Authorization': `Basic ${credentials}` } : {};
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80), headers };
}

/** User and password as HTTP's Basic scheme has them; empty when there are none, null when they are malformed. */
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
