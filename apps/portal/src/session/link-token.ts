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

/** Removes the fragment from the address and from the entry in the history. */
export function removeLinkTokenFromUrl(): void {
  const { pathname, search } = window.location;
  window.history.replaceState(window.history.state, '', `${pathname}${search}`);
}
