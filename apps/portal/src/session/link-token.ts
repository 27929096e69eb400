const pattern = /(?:^|[#&])session=([^&\s]+)/;

/** The link token in a URL fragment or in a complete portal link. Undefined if there is none. */
export function linkTokenIn(text: string): string | undefined {
  const fragment = text.includes('#') ? text.slice(text.indexOf('#')) : text;
  const token = pattern.exec(fragment)?.[1];
  if (token === undefined) return undefined;
  try {
    return decodeURIComponent(token);
  } catch {
    return undefined;
  }
}

/** Writes the token to the URL's fragment, so that a reload opens the same session. */
export function putLinkTokenInUrl(token: string): void {
  const { pathname, search } = window.location;
  window.history.replaceState(window.history.state, '', `${pathname}${search}#session=${encodeURIComponent(token)}`);
}
